#include "src/app/json_read.hpp"

#include <boost/json/serialize.hpp>

namespace liftwarden::app {

namespace json = boost::json;

const json::value& value_at(const json::object& object, const char* key) {
    static const json::value none;
    const auto* value = object.if_contains(key);
    return value != nullptr ? *value : none;
}

const json::object& object_at(const json::object& object, const char* key) {
    static const json::object none;
    const auto& value = value_at(object, key);
    return value.is_object() ? value.get_object() : none;
}

const json::array& array_at(const json::object& object, const char* key) {
    static const json::array none;
    const auto& value = value_at(object, key);
    return value.is_array() ? value.get_array() : none;
}

std::string text_of(const json::value& value) {
    if (value.is_null()) {
        return "-";
    }
    if (value.is_bool()) {
        return value.get_bool() ? "yes" : "no";
    }
    return value.is_string() ? std::string{value.get_string()} : json::serialize(value);
}

std::string text_at(const json::object& object, const char* key) {
    return text_of(value_at(object, key));
}

bool flag_at(const json::object& object, const char* key) {
    const auto& value = value_at(object, key);
    return value.is_bool() && value.get_bool();
}

std::int64_t number_at(const json::object& object, const char* key) {
    const auto& value = value_at(object, key);
    return value.is_int64() ? value.get_int64() : 0;
}

}  // namespace liftwarden::app
