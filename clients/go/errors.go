package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
)

// Failure says why a whole call failed. Programs decide by Reason; an empty one means that gRPC itself failed it.
type Failure struct {
	Status, Message, Reason string
	Metadata                map[string]string
	RetryAfter              *time.Duration
}

// FailureOf reads google.rpc.ErrorInfo and RetryInfo from the status of a failed call.
func FailureOf(err error) Failure {
	st := status.Convert(err)
	failure := Failure{Status: code.Code(st.Code()).String(), Message: st.Message()}
	for _, detail := range st.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.Domain == "whence" {
				failure.Reason, failure.Metadata = detail.Reason, detail.Metadata
			}
		case *errdetails.RetryInfo:
			after := detail.RetryDelay.AsDuration()
			failure.RetryAfter = &after
		}
	}
	return failure
}

// MaySucceedLater tells whether the same request may be sent again, if it changes nothing or has a request id.
func (f Failure) MaySucceedLater() bool {
	return f.Status == "UNAVAILABLE" || f.RetryAfter != nil
}

// TurnedAway tells whether the server was too busy for the request, and said when to try again.
func (f Failure) TurnedAway() bool {
	return f.Status == "RESOURCE_EXHAUSTED" && f.RetryAfter != nil
}

func (f Failure) String() string {
	text := f.Status
	if f.Reason != "" {
		text += " " + f.Reason
	}
	if len(f.Metadata) > 0 {
		facts := make([]string, 0, len(f.Metadata))
		for name, value := range f.Metadata {
			facts = append(facts, name+"="+value)
		}
		slices.Sort(facts)
		text += " (" + strings.Join(facts, ", ") + ")"
	}
	text += ": " + f.Message
	if f.RetryAfter != nil {
		text += fmt.Sprintf("; retry after %d ms", f.RetryAfter.Milliseconds())
	}
	return text
}
