#pragma once

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace liftwarden::test {

struct MosquittoOptions {
    std::map<std::string, std::string> users;  // name -> password; empty: anyone may log in
    std::string acl;                           // text of the ACL file; empty: everything is allowed
    bool tls = false;                          // a second listener, with certificates of its own CA
    std::string certificate_for = "localhost";  // host name in the server's certificate
    std::string tls_version;  // the only one the broker speaks, such as "tlsv1.3"; empty: any
    bool require_client_certificate = false;
    bool persistence = false;        // keep sessions over a restart
    std::vector<std::string> extra;  // further lines of the configuration
};

// A private mosquitto on 127.0.0.1 with everything it needs in a directory of its own. The
// constructor returns when it accepts connections, and throws std::runtime_error with its log if it
// does not. Ends with the object. For one thread.
class Mosquitto {
  public:
    explicit Mosquitto(const MosquittoOptions& options = {});

    [[nodiscard]] std::uint16_t port() const { return port_; }  // plain TCP
    [[nodiscard]] std::uint16_t tls_port() const { return tls_port_; }
    [[nodiscard]] std::string ca_file() const { return dir_.file("ca.crt"); }
    [[nodiscard]] std::string client_cert_file() const { return dir_.file("client.crt"); }
    [[nodiscard]] std::string client_key_file() const { return dir_.file("client.key"); }
    [[nodiscard]] std::string log() const { return read_file(dir_.file("log")); }

    void start();  // after stop() or kill(), on the same ports
    void stop();   // orderly: state is saved if persistence is on
    void kill();   // SIGKILL: what was not saved is lost
    void pause() { process_->signal(SIGSTOP); }
    void resume() { process_->signal(SIGCONT); }
    void forget();  // while it is down: removes the saved state

  private:
    void write_config(const MosquittoOptions& options);

    TempDir dir_;
    std::uint16_t port_;
    std::uint16_t tls_port_;
    std::unique_ptr<Process> process_;
};

// A CA and certificates signed by it, made with openssl: ca.crt, server.crt/.key for `host`, and
// client.crt/.key.
void make_certificates(const TempDir& dir, const std::string& host);

}  // namespace liftwarden::test
