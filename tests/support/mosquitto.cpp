#include "tests/support/mosquitto.hpp"

#include "tests/support/net.hpp"

#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace liftwarden::test {
namespace {

void make_key(const TempDir& dir, const std::string& name) {
    run({"openssl",
         "ecparam",
         "-name",
         "prime256v1",
         "-genkey",
         "-noout",
         "-out",
         dir.file(name + ".key")});
}

void sign(const TempDir& dir, const std::string& name, const std::string& extensions) {
    write_file(dir.file(name + ".ext"), extensions);
    make_key(dir, name);
    run({"openssl",
         "req",
         "-new",
         "-key",
         dir.file(name + ".key"),
         "-subj",
         "/CN=" + name,
         "-out",
         dir.file(name + ".csr")});
    run({"openssl",
         "x509",
         "-req",
         "-in",
         dir.file(name + ".csr"),
         "-CA",
         dir.file("ca.crt"),
         "-CAkey",
         dir.file("ca.key"),
         "-CAcreateserial",
         "-days",
         "2",
         "-extfile",
         dir.file(name + ".ext"),
         "-out",
         dir.file(name + ".crt")});
}

}  // namespace

void make_certificates(const TempDir& dir, const std::string& host) {
    make_key(dir, "ca");
    run({"openssl",
         "req",
         "-x509",
         "-new",
         "-key",
         dir.file("ca.key"),
         "-subj",
         "/CN=liftwarden test CA",
         "-days",
         "2",
         "-out",
         dir.file("ca.crt")});
    const bool numeric = host.find_first_not_of("0123456789.") == std::string::npos;
    sign(dir, "server", std::string("subjectAltName=") + (numeric ? "IP:" : "DNS:") + host + "\n");
    sign(dir, "client", "extendedKeyUsage=clientAuth\n");
}

Mosquitto::Mosquitto(const MosquittoOptions& options)
    : port_(free_port()), tls_port_(options.tls ? free_port() : std::uint16_t{0}) {
    if (options.tls) {
        make_certificates(dir_, options.certificate_for);
    }
    if (!options.users.empty()) {
        write_file(dir_.file("passwords"), "");
        for (const auto& [name, password] : options.users) {
            run({"mosquitto_passwd", "-b", dir_.file("passwords"), name, password});
        }
    }
    if (!options.acl.empty()) {
        write_file(dir_.file("acl"), options.acl);
    }
    write_config(options);
    start();
}

void Mosquitto::write_config(const MosquittoOptions& options) {
    std::ostringstream text;
    // As root it would change its user and then could not read this directory.
    text << "user root\nlog_dest stderr\nlog_type all\nconnection_messages true\n"
         << "allow_anonymous " << (options.users.empty() ? "true" : "false") << "\n";
    if (!options.users.empty()) {
        text << "password_file " << dir_.file("passwords") << "\n";
    }
    if (!options.acl.empty()) {
        text << "acl_file " << dir_.file("acl") << "\n";
    }
    if (options.persistence) {
        text << "persistence true\nautosave_interval 1\nautosave_on_changes true\n"
             << "persistence_location " << dir_.path().string() << "/\n";
    }
    for (const std::string& line : options.extra) {
        text << line << "\n";
    }
    text << "listener " << port_ << " 127.0.0.1\n";
    if (options.tls) {
        text << "listener " << tls_port_ << " 127.0.0.1\n"
             << "cafile " << dir_.file("ca.crt") << "\n"
             << "certfile " << dir_.file("server.crt") << "\n"
             << "keyfile " << dir_.file("server.key") << "\n"
             << "require_certificate " << (options.require_client_certificate ? "true" : "false")
             << "\n";
        if (!options.tls_version.empty()) {
            text << "tls_version " << options.tls_version << "\n";
        }
    }
    write_file(dir_.file("mosquitto.conf"), text.str());
}

void Mosquitto::start() {
    const ProcessOptions options{{"/usr/sbin/mosquitto", "-c", dir_.file("mosquitto.conf")},
                                 {},
                                 dir_.file("log"),
                                 dir_.file("log")};
    process_ = std::make_unique<Process>(options);
    const bool up = wait_until([this] {
        return !process_->running() ||
               (accepts_connections(port_) && (tls_port_ == 0 || accepts_connections(tls_port_)));
    });
    if (!up || !process_->running()) {
        throw std::runtime_error("mosquitto did not start:\n" + log());
    }
}

void Mosquitto::stop() {
    process_->stop();
}

void Mosquitto::kill() {
    process_->kill();
}

void Mosquitto::forget() {
    std::filesystem::remove(dir_.file("mosquitto.db"));
}

}  // namespace liftwarden::test
