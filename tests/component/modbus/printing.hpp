// How Catch shows the results of a bus.
#pragma once

#include <liftwarden/ports/register_bus.hpp>

#include <catch2/catch.hpp>

#include <string>

namespace Catch {

template <class T>
struct StringMaker<boost::system::result<T, liftwarden::ports::BusFault>> {
    static std::string convert(
        const boost::system::result<T, liftwarden::ports::BusFault>& result) {
        if (result.has_value()) {
            return "value " + Detail::stringify(*result);
        }
        return std::string(to_string(result.error().kind)) + ": " + result.error().detail;
    }
};

template <>
struct StringMaker<liftwarden::ports::BusFault::Kind> {
    static std::string convert(liftwarden::ports::BusFault::Kind kind) { return to_string(kind); }
};

template <>
struct StringMaker<liftwarden::core::WriteOutcome::Kind> {
    static std::string convert(liftwarden::core::WriteOutcome::Kind kind) {
        return to_string(kind);
    }
};

}  // namespace Catch
