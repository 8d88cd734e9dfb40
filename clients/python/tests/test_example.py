import unittest

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2

from whence_example.conformance import differences
from whence_example.errors import Failure
from whence_example.retry import lookup, pause_after, retrying


class Failed(grpc.RpcError, grpc.Call):
    """A failed call, as far as clients look at it."""

    def __init__(self, code, *details):
        packed = [any_pb2.Any() for _ in details]
        for target, detail in zip(packed, details):
            target.Pack(detail)
        number = code_pb2.Code.Value(code.name)
        status = status_pb2.Status(code=number, message="no", details=packed)
        self._code, self._trailer = code, (("grpc-status-details-bin", status.SerializeToString()),)

    def code(self):
        return self._code

    def details(self):
        return "no"

    def trailing_metadata(self):
        return self._trailer

    def initial_metadata(self):
        return ()

    def is_active(self):
        return False

    def time_remaining(self):
        return None

    def cancel(self):
        return False

    def add_callback(self, callback):
        return False


def info(domain):
    return error_details_pb2.ErrorInfo(domain=domain, reason="OVERLOADED", metadata={"retry_after_ms": "20"})


RETRY = error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(nanos=20_000_000))
OVERLOADED = Failed(grpc.StatusCode.RESOURCE_EXHAUSTED, info("whence"), RETRY)


class FailureTest(unittest.TestCase):
    def test_has_reason_metadata_and_retry(self):
        text = "RESOURCE_EXHAUSTED OVERLOADED (retry_after_ms=20): no; retry after 20 ms"
        self.assertEqual(str(Failure.of(OVERLOADED)), text)

    def test_of_another_domain_has_no_reason(self):
        failure = Failure.of(Failed(grpc.StatusCode.NOT_FOUND, info("proxy")))
        self.assertEqual((failure.reason, failure.may_succeed_later), ("", False))


class RetryingTest(unittest.TestCase):
    def test_sends_again_where_that_can_help(self):
        away = Failed(grpc.StatusCode.UNAVAILABLE)
        refused = Failed(grpc.StatusCode.INVALID_ARGUMENT)
        too_large = Failed(grpc.StatusCode.RESOURCE_EXHAUSTED)
        for name, failures, calls in [
            ("answered", [], 1),
            ("overloaded, then answered", [OVERLOADED] * 2, 3),
            ("away, then answered", [away], 2),
            ("refused", [refused], 1),
            ("too large, without a RetryInfo", [too_large], 1),
            ("overloaded for good", [OVERLOADED] * 9, 5),
        ]:
            with self.subTest(name):
                self.assertEqual(self.calls(retrying, failures), (calls, calls > len(failures)))

    def test_sends_a_lookup_again_where_the_server_was_too_busy(self):
        not_ready = Failed(grpc.StatusCode.UNAVAILABLE, RETRY)
        too_large = Failed(grpc.StatusCode.RESOURCE_EXHAUSTED)
        for name, failures, calls in [
            ("turned away, then answered", [OVERLOADED] * 2, 3),
            ("turned away for good", [OVERLOADED] * 9, 5),
            ("too large, without a RetryInfo", [too_large], 1),
            ("unavailable, as gRPC repeats", [not_ready], 1),
        ]:
            with self.subTest(name):
                self.assertEqual(self.calls(lookup, failures), (calls, calls > len(failures)))

    def calls(self, sending, failures):
        made = 0

        def call(_):
            nonlocal made
            made += 1
            if made <= len(failures):
                raise failures[made - 1]

        try:
            sending(call, 10)
        except grpc.RpcError:
            return made, False
        return made, True


class PauseTest(unittest.TestCase):
    def test_is_as_long_as_the_server_says_or_half_as_long_again(self):
        for said, least in [(0, 0.01), (0.001, 0.01), (1, 1)]:
            with self.subTest(said=said):
                failure = Failure("RESOURCE_EXHAUSTED", "no", retry_after_seconds=said)
                pauses = [pause_after(failure, 1) for _ in range(100)]
                self.assertTrue(least <= min(pauses) < max(pauses) <= least * 1.5, pauses)


class DifferencesTest(unittest.TestCase):
    def test_are_found(self):
        for wanted, got, count in [
            ({"a": "9007199254740993"}, {"a": "9007199254740993"}, 0),
            ({"a": "9007199254740993"}, {"a": "9007199254740992"}, 1),
            ({"a": "$any"}, {"a": 5}, 0),
            ({"a": "$any"}, {}, 1),
            ({}, {"a": "0"}, 1),
            ([1, 2], [1], 1),
            ([1, {"a": True}], [2, {"a": False}], 2),
            ("1", 1, 1),
        ]:
            with self.subTest(wanted=wanted, got=got):
                self.assertEqual(len(list(differences("value", wanted, got))), count)
