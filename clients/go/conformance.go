package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	pb "whence-example/gen/whencev1"
)

// errDifferent says that some case came to something else than it should.
var errDifferent = errors.New("a case failed")

// Conformance runs the cases: JSON to messages, through the stubs, and back. ../conformance/README.md has the format.
type Conformance struct{ Jobs }

type step struct {
	RPC        string            `json:"rpc"`
	Request    json.RawMessage   `json:"request"`
	Requests   []json.RawMessage `json:"requests"`
	DeadlineMs int64             `json:"deadline_ms"`
	Response   any               `json:"response"`
	Responses  []any             `json:"responses"`
	Status     string            `json:"status"`
	Reason     string            `json:"reason"`
	Metadata   map[string]any    `json:"metadata"`
}

type suite struct {
	Cases []struct {
		Name  string `json:"name"`
		Steps []step `json:"steps"`
	} `json:"cases"`
}

// Run runs the files, and those in directories.
func (c Conformance) Run(ctx context.Context, paths []string) error {
	run := "go-" + rand.Text()[:8]
	passed, total := 0, 0
	for _, path := range files(paths) {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var s suite
		if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), "$RUN", run)), &s); err != nil {
			return err
		}
		for _, kase := range s.Cases {
			total++
			var lines []string
			for _, step := range kase.Steps {
				lines = append(lines, c.step(ctx, step)...)
			}
			for _, line := range lines {
				c.print("%s: %s: %s", filepath.Base(path), kase.Name, line)
			}
			if len(lines) == 0 {
				passed++
			}
		}
	}
	c.print("%d of %d cases passed", passed, total)
	if passed != total {
		return errDifferent
	}
	return nil
}

func files(paths []string) (all []string) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			inside, _ := filepath.Glob(filepath.Join(path, "*.json"))
			all = append(all, inside...)
		} else {
			all = append(all, path)
		}
	}
	return all
}

func (c Conformance) step(ctx context.Context, s step) []string {
	deadline := 10 * time.Second
	if s.DeadlineMs > 0 {
		deadline = time.Duration(s.DeadlineMs) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	if s.Requests == nil {
		s.Requests = []json.RawMessage{s.Request}
	}
	if s.Response != nil {
		s.Responses = []any{s.Response}
	}
	call := c.calls()[s.RPC]
	if call == nil {
		return []string{s.RPC + " is not known to this client"}
	}
	messages, err := call(ctx, s.Requests)
	var got []any
	for _, message := range messages {
		got = append(got, toJSON(message))
	}
	lines := differences(s.RPC, anySlice(s.Responses), anySlice(got))
	return append(lines, failureDifferences(s, err)...)
}

func failureDifferences(s step, err error) []string {
	if err == nil {
		if s.Status != "" {
			return []string{s.RPC + " succeeded instead of " + s.Status}
		}
		return nil
	}
	failure := FailureOf(err)
	lines := differences(s.RPC+" status", s.Status, failure.Status)
	if s.Reason != "" || s.Status == "" { // without a reason, either side may have ended it
		metadata := map[string]any{}
		for name, value := range failure.Metadata {
			metadata[name] = value
		}
		lines = append(lines, differences(s.RPC+" reason", s.Reason, failure.Reason)...)
		lines = append(lines, differences(s.RPC+" metadata", s.Metadata, metadata)...)
	}
	return lines
}

type caller func(ctx context.Context, requests []json.RawMessage) ([]proto.Message, error)

func (c Conformance) calls() map[string]caller {
	return map[string]caller{
		"ResolverService/ResolveTimestamp":       unary(c.Resolver.ResolveTimestamp),
		"ResolverService/ResolveWindow":          unary(c.Resolver.ResolveWindow),
		"ResolverService/ResolveOffset":          unary(c.Resolver.ResolveOffset),
		"ResolverService/WatchTimestamp":         c.watch,
		"ResolverService/StreamResolveTimestamp": c.stream,
		"LogService/CreateTopic":                 unary(c.Logs.CreateTopic),
		"LogService/Append":                      unary(c.Logs.Append),
		"LogService/TrimLog":                     unary(c.Logs.TrimLog),
		"LogService/Read":                        unary(c.Logs.Read),
		"GroupOffsetsService/CommitOffset":       unary(c.Groups.CommitOffset),
		"GroupOffsetsService/FetchOffset":        unary(c.Groups.FetchOffset),
		"GroupOffsetsService/GetGroupLag":        unary(c.Groups.GetGroupLag),
		"GroupOffsetsService/DeleteOffset":       unary(c.Groups.DeleteOffset),
	}
}

func unary[Q, A any, QP interface {
	*Q
	proto.Message
}, AP interface {
	*A
	proto.Message
}](call func(context.Context, QP, ...grpc.CallOption) (AP, error)) caller {
	return func(ctx context.Context, requests []json.RawMessage) ([]proto.Message, error) {
		request := QP(new(Q))
		if err := protojson.Unmarshal(requests[0], request); err != nil {
			return nil, err
		}
		answer, err := call(ctx, request)
		if err != nil {
			return nil, err
		}
		return []proto.Message{answer}, nil
	}
}

func (c Conformance) watch(ctx context.Context, requests []json.RawMessage) ([]proto.Message, error) {
	request := &pb.WatchTimestampRequest{}
	if err := protojson.Unmarshal(requests[0], request); err != nil {
		return nil, err
	}
	stream, err := c.Resolver.WatchTimestamp(ctx, request)
	if err != nil {
		return nil, err
	}
	return all(stream.Recv)
}

func (c Conformance) stream(ctx context.Context, requests []json.RawMessage) ([]proto.Message, error) {
	stream, err := c.Resolver.StreamResolveTimestamp(ctx)
	if err != nil {
		return nil, err
	}
	for _, text := range requests {
		request := &pb.StreamResolveTimestampRequest{}
		if err := protojson.Unmarshal(text, request); err != nil {
			return nil, err
		}
		if err := stream.Send(request); err != nil {
			break // Recv says why
		}
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	return all(stream.Recv)
}

func all[A proto.Message](next func() (A, error)) (messages []proto.Message, err error) {
	for {
		message, err := next()
		if errors.Is(err, io.EOF) {
			return messages, nil
		}
		if err != nil {
			return messages, err
		}
		messages = append(messages, message)
	}
}

func toJSON(message proto.Message) (value any) {
	text, err := protojson.Marshal(message)
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		return err.Error()
	}
	return value
}

func anySlice(values []any) any {
	if values == nil {
		return []any{}
	}
	return values
}

// differences tells where a JSON value differs. "$any" stands for any value that is there.
func differences(path string, wanted, got any) []string {
	if wanted == "$any" {
		return nil
	}
	var lines []string
	switch wanted := wanted.(type) {
	case map[string]any:
		other, ok := got.(map[string]any)
		if !ok {
			break
		}
		for _, key := range keys(wanted, other) {
			a, inWanted := wanted[key]
			b, inGot := other[key]
			switch {
			case !inGot:
				lines = append(lines, fmt.Sprintf("%s.%s is missing", path, key))
			case !inWanted:
				lines = append(lines, fmt.Sprintf("%s.%s should not be there: %s", path, key, text(b)))
			default:
				lines = append(lines, differences(path+"."+key, a, b)...)
			}
		}
		return lines
	case []any:
		other, ok := got.([]any)
		if !ok || len(other) != len(wanted) {
			break
		}
		for i := range wanted {
			lines = append(lines, differences(fmt.Sprintf("%s[%d]", path, i), wanted[i], other[i])...)
		}
		return lines
	}
	if !reflect.DeepEqual(wanted, got) {
		return []string{fmt.Sprintf("%s is %s instead of %s", path, text(got), text(wanted))}
	}
	return nil
}

func keys(a, b map[string]any) (all []string) {
	for key := range a {
		all = append(all, key)
	}
	for key := range b {
		if _, both := a[key]; !both {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return all
}

func text(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}
