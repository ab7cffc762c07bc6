#pragma once

#include "drivers/sim/file_descriptor.hpp"

#include <liftwarden/core/error.hpp>

#include <poll.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace liftwarden::sim {

// A Unix socket that takes one order a line and answers each with one line. Unlinks its path when
// it goes. One thread; the handler is called from receive().
class ControlServer {
  public:
    using Handler = std::function<std::string(const std::string& line)>;
    static constexpr std::size_t line_max = 4096;

    // A socket left behind by another process is replaced; anything else at that path is an error.
    [[nodiscard]] static core::Result<std::unique_ptr<ControlServer>> listen(
        const std::string& path, Handler handler);
    ~ControlServer();

    void watch(std::vector<pollfd>& polls);
    void receive(std::span<const pollfd> polls);

  private:
    struct Client {
        FileDescriptor fd;
        std::string received;
        bool gone = false;
    };

    ControlServer(std::string path, FileDescriptor listener, Handler handler);
    void receive_from(Client& client);

    std::string path_;
    FileDescriptor listener_;
    Handler handler_;
    std::vector<Client> clients_;
    std::size_t watched_ = 0;
};

// Sends one line to the control socket of a running simulator and returns its answer without the
// end of line. Blocks up to 5 s; error class transient if nobody answers.
[[nodiscard]] core::Result<std::string> control_call(const std::string& path,
                                                     const std::string& line);

}  // namespace liftwarden::sim
