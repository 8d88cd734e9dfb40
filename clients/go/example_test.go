package main

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"
)

func failing(code codes.Code, details ...protoadapt.MessageV1) error {
	st, err := status.New(code, "no").WithDetails(details...)
	if err != nil {
		panic(err)
	}
	return st.Err()
}

var overloaded = failing(codes.ResourceExhausted,
	&errdetails.ErrorInfo{Domain: "whence", Reason: "OVERLOADED", Metadata: map[string]string{"retry_after_ms": "20"}},
	&errdetails.RetryInfo{RetryDelay: durationpb.New(20 * time.Millisecond)})

func TestFailureOf_readsReasonMetadataAndRetry(t *testing.T) {
	got := FailureOf(overloaded).String()
	want := "RESOURCE_EXHAUSTED OVERLOADED (retry_after_ms=20): no; retry after 20 ms"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFailureOf_otherDomain_hasNoReason(t *testing.T) {
	other := failing(codes.NotFound, &errdetails.ErrorInfo{Domain: "proxy", Reason: "GONE"})
	if failure := FailureOf(other); failure.Reason != "" || failure.MaySucceedLater() {
		t.Errorf("got %v", failure)
	}
}

func TestRetrying(t *testing.T) {
	for name, test := range map[string]struct {
		failures []error
		calls    int
	}{
		"answered":                       {nil, 1},
		"overloaded, then answered":      {[]error{overloaded, overloaded}, 3},
		"away, then answered":            {[]error{failing(codes.Unavailable)}, 2},
		"refused":                        {[]error{failing(codes.InvalidArgument)}, 1},
		"too large, without a RetryInfo": {[]error{failing(codes.ResourceExhausted)}, 1},
		"overloaded for good":            {slices.Repeat([]error{overloaded}, 9), 5},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			_, err := Retrying(context.Background(), func(context.Context) (string, error) {
				calls++
				if calls <= len(test.failures) {
					return "", test.failures[calls-1]
				}
				return "answer", nil
			})
			if calls != test.calls || (err == nil) != (calls > len(test.failures)) {
				t.Errorf("%d calls, %v", calls, err)
			}
		})
	}
}

func TestLookup(t *testing.T) {
	tooLarge, away := failing(codes.ResourceExhausted), failing(codes.Unavailable, &errdetails.RetryInfo{})
	for name, test := range map[string]struct {
		failures []error
		calls    int
	}{
		"turned away, then answered":     {[]error{overloaded, overloaded}, 3},
		"turned away for good":           {slices.Repeat([]error{overloaded}, 9), 5},
		"too large, without a RetryInfo": {[]error{tooLarge}, 1},
		"unavailable, as gRPC repeats":   {[]error{away}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			call := func(_ context.Context, request string, _ ...grpc.CallOption) (string, error) {
				calls++
				if calls <= len(test.failures) {
					return "", test.failures[calls-1]
				}
				return request, nil
			}
			answer, err := Lookup(context.Background(), call, "request")
			if calls != test.calls || (err == nil) != (calls > len(test.failures)) || (err == nil) != (answer == "request") {
				t.Errorf("%d calls, %q, %v", calls, answer, err)
			}
		})
	}
}

func TestPauseAfter_isAsLongAsTheServerSaysOrHalfAsLongAgain(t *testing.T) {
	for said, least := range map[time.Duration]time.Duration{
		0: 10 * time.Millisecond, time.Millisecond: 10 * time.Millisecond, time.Second: time.Second,
	} {
		pauses := map[time.Duration]bool{}
		for range 100 {
			pause := pauseAfter(Failure{RetryAfter: &said}, 1)
			if pause < least || pause > least*3/2 {
				t.Errorf("%v for %v", pause, said)
			}
			pauses[pause] = true
		}
		if len(pauses) < 2 {
			t.Errorf("all the same for %v", said)
		}
	}
}

func TestDifferences(t *testing.T) {
	for _, test := range []struct {
		wanted, got string
		lines       int
	}{
		{`{"a": "9007199254740993"}`, `{"a": "9007199254740993"}`, 0},
		{`{"a": "9007199254740993"}`, `{"a": "9007199254740992"}`, 1},
		{`{"a": "$any"}`, `{"a": 5}`, 0},
		{`{"a": "$any"}`, `{}`, 1},
		{`{}`, `{"a": "0"}`, 1},
		{`[1, 2]`, `[1]`, 1},
		{`[1, {"a": true}]`, `[2, {"a": false}]`, 2},
		{`"1"`, `1`, 1},
	} {
		var wanted, got any
		if json.Unmarshal([]byte(test.wanted), &wanted) != nil || json.Unmarshal([]byte(test.got), &got) != nil {
			t.Fatal("no JSON")
		}
		if lines := differences("value", wanted, got); len(lines) != test.lines {
			t.Errorf("%s, %s: %v", test.wanted, test.got, lines)
		}
	}
}
