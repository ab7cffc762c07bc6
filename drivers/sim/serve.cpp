#include "drivers/sim/serve.hpp"

#include <boost/json/array.hpp>

#include <optional>
#include <utility>

namespace liftwarden::sim {
namespace {

boost::json::array to_json(std::span<const std::uint16_t> values) {
    return boost::json::array(values.begin(), values.end());
}

boost::json::object describe(const ParsedRequest& parsed) {
    boost::json::object line{{"fn", parsed.request.function},
                             {"addr", parsed.request.address},
                             {"count", parsed.request.count}};
    if (!parsed.request.values.empty()) {
        line["values"] = to_json(parsed.request.values);
    }
    return line;
}

void answer_exception(Exchange& exchange, const Request& request, std::uint8_t code) {
    exchange.reply = exception_reply(request.function, code);
    exchange.out["exception"] = code;
}

std::uint8_t code_of(const Fault& fault) {
    return static_cast<std::uint8_t>(fault.number.value_or(4) & 0xFF);
}

// Faults of writes hit commands only, so that a heartbeat does not use them up.
bool is_command(const Plc& plc, const Request& request) {
    return request.is_write() && plc.is_command(request.table(), request.address, request.count);
}

// Faults that keep the request from the PLC. False: it goes through.
bool intercepted(Plc& plc, const Request& request, core::TimePoint now, Exchange& exchange) {
    FaultSet& faults = plc.faults();
    if (faults.hit(FaultKind::silence, now)) {
        exchange.what = Exchange::What::silence;
        exchange.in["fault"] = "silence";
        return true;
    }
    const bool command = is_command(plc, request);
    if (command && faults.hit(FaultKind::drop_before_write, now)) {
        exchange.what = Exchange::What::reset;
        exchange.in["fault"] = "drop-before-write";
        return true;
    }
    for (const auto& [kind, applies] : {std::pair{FaultKind::exception, true},
                                        std::pair{FaultKind::exception_read, !request.is_write()},
                                        std::pair{FaultKind::exception_write, command}}) {
        if (const auto fault = applies ? faults.hit(kind, now) : std::nullopt) {
            exchange.in["fault"] = to_string(kind);
            answer_exception(exchange, request, code_of(*fault));
            return true;
        }
    }
    return false;
}

void carry_out_read(Plc& plc, const Request& request, Exchange& exchange) {
    const auto values = plc.read(request.table(), request.address, request.count);
    if (!values) {
        answer_exception(exchange, request, illegal_data_address);
        return;
    }
    exchange.reply = read_reply(request, *values);
    exchange.out["values"] = to_json(*values);
}

void carry_out_write(Plc& plc, const Request& request, core::TimePoint now, Exchange& exchange) {
    FaultSet& faults = plc.faults();
    const bool command = is_command(plc, request);
    if (!plc.read(request.table(), request.address, request.count)) {
        answer_exception(exchange, request, illegal_data_address);
        return;
    }
    exchange.reply = write_reply(request);
    if (command && faults.hit(FaultKind::ignore_write, now)) {
        exchange.in["fault"] = "ignore-write";
        return;
    }
    static_cast<void>(plc.write(request.table(), request.address, request.values, now));
    plc.run(now);
    if (command && faults.hit(FaultKind::reply_lost, now)) {
        exchange.what = Exchange::What::silence;
        exchange.in["fault"] = "reply-lost";
    } else if (command && faults.hit(FaultKind::drop_after_write, now)) {
        exchange.what = Exchange::What::reset;
        exchange.in["fault"] = "drop-after-write";
    }
}

void serve_by(Plc& plc, const ParsedRequest& parsed, core::TimePoint now, Exchange& exchange) {
    plc.run(now);
    const Request& request = parsed.request;
    if (!intercepted(plc, request, now, exchange)) {
        if (parsed.exception != 0) {
            answer_exception(exchange, request, parsed.exception);
        } else if (request.is_write()) {
            carry_out_write(plc, request, now, exchange);
        } else {
            carry_out_read(plc, request, exchange);
        }
    }
    if (const auto fault = plc.faults().hit(FaultKind::slow, now)) {
        exchange.delay = fault->delay;
    }
}

}  // namespace

Exchange serve(const Units& units,
               std::uint8_t unit,
               std::span<const std::uint8_t> pdu,
               core::TimePoint now) {
    const ParsedRequest parsed = parse_request(pdu);
    const Request& request = parsed.request;
    Exchange exchange;
    exchange.in = describe(parsed);
    exchange.in["dir"] = "in";
    exchange.out = {{"dir", "out"},
                    {"fn", request.function},
                    {"addr", request.address},
                    {"count", request.count}};
    const auto found = units.find(unit);
    for (boost::json::object* line : {&exchange.in, &exchange.out}) {
        (*line)["unit"] = unit;
        if (found != units.end()) {
            (*line)["elevator"] = found->second->id().str();
        }
    }
    if (found != units.end()) {
        serve_by(*found->second, parsed, now, exchange);
    } else {
        answer_exception(exchange, request, gateway_target_silent);
    }
    return exchange;
}

}  // namespace liftwarden::sim
