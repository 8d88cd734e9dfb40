package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "whence-example/gen/whencev1"
)

// Jobs are what a client of Whence does: a window and its records, a guarded commit, lag in time, a watch.
type Jobs struct {
	Resolver pb.ResolverServiceClient
	Logs     pb.LogServiceClient
	Groups   pb.GroupOffsetsServiceClient
	Source   string
	Timeout  time.Duration
	Out      io.Writer
}

// moment takes RFC 3339 with an offset, or digits: epoch milliseconds. The server refuses what looks like seconds.
func moment(text string) *pb.TimePoint {
	if ms, err := strconv.ParseUint(text, 10, 63); err == nil {
		return &pb.TimePoint{Form: &pb.TimePoint_EpochMs{EpochMs: int64(ms)}}
	}
	return &pb.TimePoint{Form: &pb.TimePoint_Rfc3339{Rfc3339: text}}
}

// Window tells where the records of [from, to) lie in all partitions, and reads the first of each from there.
func (j Jobs) Window(ctx context.Context, topic, from, to string, records int) error {
	result, err := j.window(ctx, &pb.WindowQuery{Topic: topic, From: moment(from), To: moment(to)})
	if err != nil {
		return err
	}
	if result.Error != nil {
		j.print("%s %s", topic, failed(result.Error))
		return errRefused
	}
	j.print("%s: [%d, %d) ms", topic, result.FromMs, result.ToMs)
	var count, found int64
	refused := false
	for _, answer := range result.Answers {
		switch answer.Outcome {
		case pb.Outcome_OUTCOME_FOUND:
			found, count = found+1, count+answer.RecordCount
			j.print("%s-%d FOUND %d..%d: %d records, %d outside", topic, answer.Partition,
				answer.Range.StartOffset, answer.Range.EndOffset, answer.RecordCount, answer.OutsideCount)
			if err := j.read(ctx, topic, answer.Partition, answer.Range, records); err != nil {
				return err
			}
		case pb.Outcome_OUTCOME_FAILED:
			refused = true
			j.print("%s-%d %s", topic, answer.Partition, failed(answer.Error))
		default:
			j.print("%s-%d %s", topic, answer.Partition, word(answer.Outcome))
		}
	}
	j.print("sum: %d records in %d of %d partitions", count, found, result.GetPartitionCount())
	if refused {
		return errRefused
	}
	return nil
}

func (j Jobs) window(ctx context.Context, query *pb.WindowQuery) (*pb.WindowQueryResult, error) {
	ctx, cancel := context.WithTimeout(ctx, j.Timeout)
	defer cancel()
	request := &pb.ResolveWindowRequest{Source: j.Source, Queries: []*pb.WindowQuery{query}}
	response, err := Lookup(ctx, j.Resolver.ResolveWindow, request)
	if err != nil {
		return nil, err
	}
	return response.Results[0], nil
}

// read starts at the start of a range, and stops at its end or after so many records.
func (j Jobs) read(ctx context.Context, topic string, partition int32, span *pb.OffsetRange, records int) error {
	ctx, cancel := context.WithTimeout(ctx, j.Timeout)
	defer cancel()
	for offset := span.StartOffset; records > 0 && offset < span.EndOffset; {
		page, err := Lookup(ctx, j.Logs.Read, &pb.ReadRequest{
			Source: j.Source, Topic: topic, Partition: partition,
			Offset: proto.Int64(offset), MaxRecords: proto.Int32(int32(min(records, 1000))),
		})
		if err != nil {
			return err
		}
		for _, record := range page.Records {
			if record.Info.Offset < span.EndOffset {
				j.print("  %d at %d ms: %s=%s", record.Info.Offset, record.Info.GetTimestampMs(), record.Key, record.Value)
			}
		}
		if page.NextOffset == offset {
			return nil
		}
		records -= len(page.Records)
		offset = page.NextOffset
	}
	return nil
}

// Commit commits one offset. With the request id, sending it again after a lost answer commits nothing twice, where the
// same server gets it. In front of a followed cluster each server remembers only what it answered itself: send what you
// expect, too, and another one refuses with CONFLICT what is done already.
func (j Jobs) Commit(ctx context.Context, group string, entry *pb.CommitEntry, requestID string) error {
	if requestID == "" {
		requestID = rand.Text()
	}
	ctx, cancel := context.WithTimeout(ctx, j.Timeout)
	defer cancel()
	request := &pb.CommitOffsetRequest{
		Source: j.Source, Group: group, Entries: []*pb.CommitEntry{entry}, RequestId: requestID,
	}
	sent := 0
	response, err := Retrying(ctx, func(ctx context.Context) (*pb.CommitOffsetResponse, error) {
		sent++
		return j.Groups.CommitOffset(ctx, request)
	})
	if err != nil {
		return err
	}
	result := response.Results[0]
	if sent > 1 && isDone(entry, result) {
		j.print("%s-%d COMMITTED -> %d (sent before)", result.Topic, result.Partition, *result.OffsetNow)
		return nil
	}
	if result.Error != nil {
		j.print("%s-%d %s", result.Topic, result.Partition, failed(result.Error))
		return errRefused
	}
	before, again := "none", ""
	if result.OffsetBefore != nil {
		before = strconv.FormatInt(*result.OffsetBefore, 10)
	}
	if response.Replayed {
		again = " (sent before)"
	}
	j.print("%s-%d %s %s -> %d%s",
		result.Topic, result.Partition, word(result.Outcome), before, result.GetOffsetNow(), again)
	return nil
}

// isDone tells whether a commit that was sent again is refused because the one before did its work.
func isDone(entry *pb.CommitEntry, result *pb.CommitResult) bool {
	return result.Error.GetReason() == pb.ErrorReason_ERROR_REASON_CONFLICT &&
		result.OffsetNow != nil && *result.OffsetNow == entry.GetNextOffset()
}

// Lag tells how far a group is behind, in records and in time.
func (j Jobs) Lag(ctx context.Context, group string) error {
	ctx, cancel := context.WithTimeout(ctx, j.Timeout)
	defer cancel()
	request := &pb.GetGroupLagRequest{Source: j.Source, Queries: []*pb.GroupQuery{{Group: group}}}
	response, err := Lookup(ctx, j.Groups.GetGroupLag, request)
	if err != nil {
		return err
	}
	result := response.Results[0]
	if result.Error != nil {
		j.print("%s %s", group, failed(result.Error))
		return errRefused
	}
	if !result.Exists {
		j.print("%s has committed nothing", group)
		return errRefused
	}
	for _, part := range result.Partitions {
		j.print("%s-%d %s", part.Topic, part.Partition, lagOf(part))
	}
	j.print("sum: %d records in %d partitions, span %d ms",
		result.Sum.RecordLag, result.Sum.PartitionCount, result.Sum.GetMaxSpanMs())
	return nil
}

func lagOf(part *pb.PartitionLag) string {
	if part.Error != nil {
		return failed(part.Error)
	}
	text := word(part.Status)
	if part.RecordLag != nil {
		text += fmt.Sprintf(": %d records", *part.RecordLag)
	}
	if part.SpanMs != nil {
		text += fmt.Sprintf(", span %d ms", *part.SpanMs)
	}
	if part.StalenessMs != nil {
		text += fmt.Sprintf(", waiting for %d ms", *part.StalenessMs)
	}
	return text
}

// watched is what a watch has told so far.
type watched struct {
	query   *pb.WatchQuery
	attempt int
	started bool
	told    map[int32]bool
	failed  bool
}

// Watch tells, per partition and then for all, that a moment has been reached. The deadline ends the wait; a connection
// that grows too old does not, nor does a server that stops.
func (j Jobs) Watch(ctx context.Context, topic, time string) error {
	ctx, cancel := context.WithTimeout(ctx, j.Timeout)
	defer cancel()
	w := &watched{query: &pb.WatchQuery{Topic: topic, Time: moment(time)}, told: map[int32]bool{}}
	for {
		w.attempt++
		err := j.watch(ctx, w)
		if err == nil && w.failed {
			return errRefused
		}
		if err == nil || !WaitToRetry(ctx, FailureOf(err), w.attempt) {
			return err
		}
	}
}

// watch asks once. Asked again, the server tells of all partitions again: those that we told of are left out.
func (j Jobs) watch(ctx context.Context, w *watched) error {
	request := &pb.WatchTimestampRequest{Source: j.Source, Queries: []*pb.WatchQuery{w.query}}
	stream, err := j.Resolver.WatchTimestamp(ctx, request)
	if err != nil {
		return err
	}
	for {
		response, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		j.event(w, response)
		if response.GetDone() != nil {
			return nil
		}
	}
}

func (j Jobs) event(w *watched, response *pb.WatchTimestampResponse) {
	switch event := response.Event.(type) {
	case *pb.WatchTimestampResponse_Started:
		ms := event.Started.TargetTimestampMs[0]
		if !w.started {
			j.print("watching %d partitions for %d ms", event.Started.PartitionCount, ms)
		}
		w.started, w.attempt = true, 1
		w.query.Time = &pb.TimePoint{Form: &pb.TimePoint_EpochMs{EpochMs: ms}} // the same moment, whatever the clock says
	case *pb.WatchTimestampResponse_Partition:
		answer := event.Partition.Answer
		if !w.told[answer.Partition] {
			j.print("%s-%d %s", event.Partition.Topic, answer.Partition, reached(answer))
		}
		w.told[answer.Partition] = true
	case *pb.WatchTimestampResponse_Done:
		j.print("done: %d reached, %d failed", event.Done.ReachedCount, event.Done.FailedCount)
		w.failed = event.Done.FailedCount > 0
	}
}

func reached(answer *pb.TimestampAnswer) string {
	if answer.Error != nil {
		return failed(answer.Error)
	}
	return fmt.Sprintf("reached at %d", answer.GetOffset())
}

func failed(e *pb.PartitionError) string {
	return fmt.Sprintf("FAILED %s: %s", word(e.Reason), e.Message)
}

// word is the name of an enum's value without its prefix; a number for one that is newer than this client.
func word(value protoreflect.Enum) string {
	values := value.Descriptor().Values()
	prefix := strings.TrimSuffix(string(values.ByNumber(0).Name()), "UNSPECIFIED")
	if known := values.ByNumber(value.Number()); known != nil {
		return strings.TrimPrefix(string(known.Name()), prefix)
	}
	return strconv.Itoa(int(value.Number()))
}

func (j Jobs) print(format string, args ...any) {
	fmt.Fprintf(j.Out, format+"\n", args...)
}
