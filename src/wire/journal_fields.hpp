// The fields of what is journalled, each named once for both directions. `Io` is an Encoder (with a
// const T) or a Decoder (with a T); see codec.hpp.
#pragma once

#include <liftwarden/core/journal.hpp>

#include <concepts>
#include <type_traits>

namespace liftwarden::wire {

template <class T, class Plain>
concept Either = std::same_as<std::remove_const_t<T>, Plain>;

template <class Io, Either<core::Content> T>
void fields(Io& io, T& content) {
    io("action", content.action);
    io("floor", content.floor);
    io("direction", content.direction);
    io("door", content.door);
    io("seconds", content.seconds);
    io("mode", content.mode);
}

template <class Io, Either<core::LockClaim> T>
void fields(Io& io, T& claim) {
    io("owner", claim.owner);
    io("token", claim.token);
}

template <class Io, Either<core::ReplyTo> T>
void fields(Io& io, T& reply) {
    io("topic", reply.topic);
    io.bytes("correlation_hex", reply.correlation);
}

template <class Io, Either<core::Party> T>
void fields(Io& io, T& party) {
    io("who", party.who);
    io("kind", party.kind);
    io("name", party.name);
}

template <class Io, Either<core::CommandRef> T>
void fields(Io& io, T& ref) {
    io("source", ref.source);
    io("seq", ref.seq);
}

template <class Io, Either<core::Elapsed> T>
void fields(Io& io, T& elapsed) {
    io("queued_ns", elapsed.queued);
    io("verify_ns", elapsed.verify);
    io("ack_ns", elapsed.ack);
}

template <class Io, Either<core::Command> T>
void fields(Io& io, T& command) {
    io("elevator", command.elevator);
    io("source", command.source);
    io("seq", command.seq);
    io("content", command.content);
    io("task", command.task);
    io("ride", command.ride);
    io("msg_id", command.msg_id);
    io("issued_at", command.issued_at);
    io("lock", command.lock);
    io("wait", command.wait);
    io("reply", command.reply);
    io("ttl_ns", command.ttl);
}

template <class Io, Either<core::CommandRow> T>
void fields(Io& io, T& row) {
    io("command", row.command);
    io("party", row.party);
    io("boot_id", row.boot_id);
    io("received_at_ns", row.received_at);
    io("deadline_ns", row.deadline);
    io("status", row.status);
    io("reason", row.reason);
    io("detail", row.detail);
    io("of", row.of);
    io("wire_seq", row.wire_seq);
    io("echo_before", row.echo_before);
    io("heartbeat_before", row.heartbeat_before);
    io("resent", row.resent);
    io("elapsed", row.elapsed);
}

template <class Io, Either<core::Owner> T>
void fields(Io& io, T& owner) {
    io("party", owner.party);
    io("last_call", owner.last_call);
    io("last_call_served", owner.last_call_served);
    io("last_activity_ns", owner.last_activity);
}

template <class Io, Either<core::Watch> T>
void fields(Io& io, T& watch) {
    io("row", watch.row);
    io("car_was_here", watch.car_was_here);
    io("sign_seen", watch.sign_seen);
    io("settled_out", watch.settled_out);
    io("acked_at_ns", watch.acked_at);
}

template <class Io, Either<core::Trip> T>
void fields(Io& io, T& trip) {
    io("party", trip.party);
    io("hall_floor", trip.hall_floor);
}

template <class Io, Either<core::LastAcked> T>
void fields(Io& io, T& last) {
    io("command", last.command);
    io("content", last.content);
    io("party", last.party);
    io("acked_at_ns", last.acked_at);
}

template <class Io, Either<core::Fence> T>
void fields(Io& io, T& fence) {
    io("generation", fence.generation);
    io("token", fence.token);
    io("holder", fence.holder);
    io("memory", fence.memory);
    io("lease_surely_until_ns", fence.lease_surely_until);
    io("lease_over_at_ns", fence.lease_over_at);
    io("only_holder_until_ns", fence.only_holder_until);
}

template <class Io, Either<core::ElevatorRow> T>
void fields(Io& io, T& row) {
    io("elevator", row.elevator);
    io("boot_id", row.boot_id);
    io("baseline", row.baseline);
    io("last_wire_seq", row.last_wire_seq);
    io("heartbeat", row.heartbeat);
    io("failed_wire_seqs", row.failed_wire_seqs);
    io("owner", row.owner);
    io("watches", row.watches);
    io("trips", row.trips);
    io("last_acked", row.last_acked);
    io("lock_out", row.lock_out);
    io("lock_out_detail", row.lock_out_detail);
    io("mode", row.mode);
    io("epoch", row.epoch);
    io("fence", row.fence);
}

template <class Io, Either<core::Alarm> T>
void fields(Io& io, T& alarm) {
    io("elevator", alarm.elevator);
    io("kind", alarm.kind);
    io("alarm", alarm.alarm);
    io("detail", alarm.detail);
    io("source", alarm.source);
    io("seq", alarm.seq);
}

}  // namespace liftwarden::wire
