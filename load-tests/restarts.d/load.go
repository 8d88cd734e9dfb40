// Load by the client in Go: calls until standard input ends, then prints what became of them, as JSON. Built together
// with connection.go, errors.go and retry.go of clients/go.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/health" // what healthCheckConfig needs
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/stats"

	pb "whence-example/gen/whencev1"
)

const shown = 20

// checked is the service config of the client, for those addresses only whose health says SERVING.
var checked = strings.Replace(serviceConfig, `"methodConfig": [{`,
	`"healthCheckConfig": {"serviceName": "whence.v1.ResolverService"}, "methodConfig": [{`, 1)

// load is what to do; drive.py writes it.
type load struct {
	Addresses  []string `json:"addresses"`
	Source     string   `json:"source"`
	Topic      string   `json:"topic"`
	Partitions int      `json:"partitions"`
	Records    int64    `json:"records"`
	StartMs    int64    `json:"start_ms"`
	StepMs     int64    `json:"step_ms"`
	Timeout    float64  `json:"timeout"`
	Lookups    float64  `json:"lookups"`
	Commits    float64  `json:"commits"`
	Callers    int      `json:"callers"`
	Committers int      `json:"committers"`
	Run        string   `json:"run"`
}

// tally is what became of the calls.
type tally struct {
	mutex      sync.Mutex
	Calls      map[string]int             `json:"calls"`
	Failures   map[string]int             `json:"failures"`
	Shown      []string                   `json:"shown"`
	Wrong      int                        `json:"wrong"`
	WrongShown []string                   `json:"wrong_shown"`
	SentAgain  int64                      `json:"sent_again"`
	MadeBefore int                        `json:"made_before"`
	Missed     int                        `json:"missed"`
	Micros     map[string][]int64         `json:"micros"`
	Committed  map[string]map[int32]int64 `json:"committed"`
}

type wrongAnswer struct{ text string }

func (w wrongAnswer) Error() string { return w.text }

// refused says that a commit was refused, or that a partition has no answer.
type refused struct{ *pb.PartitionError }

func (r refused) Error() string { return r.GetReason().String() + ": " + r.GetMessage() }

func (t *tally) done(kind string, took time.Duration, err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.Calls[kind]++
	switch err := err.(type) {
	case nil:
		t.Micros[kind] = append(t.Micros[kind], took.Microseconds())
	case wrongAnswer:
		if t.Wrong++; len(t.WrongShown) < shown {
			t.WrongShown = append(t.WrongShown, kind+": "+err.text)
		}
	case refused:
		t.failed(kind, "REFUSED "+err.GetReason().String(), took, err.Error())
	default:
		failure := FailureOf(err)
		t.failed(kind, strings.TrimSpace(failure.Status+" "+failure.Reason), took, failure.String())
	}
}

func (t *tally) failed(kind, what string, took time.Duration, text string) {
	t.Failures[kind+" "+what]++
	if len(t.Shown) < shown {
		t.Shown = append(t.Shown, fmt.Sprintf("%s after %d ms: %s", kind, took.Milliseconds(), text))
	}
}

// sendings counts how often a request was sent, which gRPC tells nobody but handlers of statistics.
type sendings struct{ count atomic.Int64 }

func (a *sendings) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (a *sendings) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (a *sendings) HandleConn(context.Context, stats.ConnStats)                       {}
func (a *sendings) HandleRPC(_ context.Context, event stats.RPCStats) {
	if _, begun := event.(*stats.Begin); begun {
		a.count.Add(1)
	}
}

// caller makes the calls of one goroutine.
type caller struct {
	load
	*tally
	resolver  pb.ResolverServiceClient
	groups    pb.GroupOffsetsServiceClient
	group     string
	commits   int
	committed map[int32]int64
}

// atOrAfter tells where a moment lies: record i of partition p was made at start + p + i * step.
func (c *caller) atOrAfter(partition int32, moment int64) int64 {
	late := moment - c.StartMs - int64(partition)
	if late <= 0 {
		return 0
	}
	return min((late+c.StepMs-1)/c.StepMs, c.Records)
}

func at(ms int64) *pb.TimePoint {
	return &pb.TimePoint{Form: &pb.TimePoint_EpochMs{EpochMs: ms}}
}

func (c *caller) resolve(ctx context.Context, partitions []int32) error {
	moment := c.StartMs + mathrand.Int64N((c.Records+2)*c.StepMs) - c.StepMs
	response, err := c.resolver.ResolveTimestamp(ctx, &pb.ResolveTimestampRequest{
		Source: c.Source,
		Queries: []*pb.TimestampQuery{{
			Topic: c.Topic, Partitions: partitions,
			Position: &pb.Position{Kind: &pb.Position_AtOrAfter{AtOrAfter: at(moment)}},
		}},
	})
	if err != nil {
		return err
	}
	if err := response.Results[0].GetError(); err != nil {
		return refused{err}
	}
	answers := response.Results[0].Answers
	if len(answers) != len(partitions) {
		return wrongAnswer{fmt.Sprintf("%d ms: %d answers for %d partitions", moment, len(answers), len(partitions))}
	}
	for i, answer := range answers {
		if answer.Error != nil {
			return refused{answer.Error}
		}
		offset := c.atOrAfter(partitions[i], moment)
		good := answer.Outcome == pb.Outcome_OUTCOME_AFTER_END
		if offset < c.Records {
			good = answer.Outcome == pb.Outcome_OUTCOME_FOUND && answer.Offset != nil && *answer.Offset == offset
		}
		if !good || answer.Partition != partitions[i] {
			return wrongAnswer{fmt.Sprintf("%d ms lies at %d of partition %d, not: %v", moment, offset, partitions[i], answer)}
		}
	}
	return nil
}

func (c *caller) one(ctx context.Context) error {
	return c.resolve(ctx, []int32{mathrand.Int32N(int32(c.Partitions))})
}

func (c *caller) hundred(ctx context.Context) error {
	partitions := make([]int32, c.Partitions)
	for i := range partitions {
		partitions[i] = int32(i)
	}
	return c.resolve(ctx, partitions)
}

func (c *caller) window(ctx context.Context) error {
	partition := mathrand.Int32N(int32(c.Partitions))
	first := c.StartMs + mathrand.Int64N(c.Records/2)*c.StepMs
	last := first + (1+mathrand.Int64N(c.Records/2-1))*c.StepMs
	query := &pb.WindowQuery{Topic: c.Topic, Partitions: []int32{partition}, From: at(first), To: at(last)}
	request := &pb.ResolveWindowRequest{Source: c.Source, Queries: []*pb.WindowQuery{query}}
	response, err := c.resolver.ResolveWindow(ctx, request)
	if err != nil {
		return err
	}
	if err := response.Results[0].GetError(); err != nil {
		return refused{err}
	}
	answer := response.Results[0].Answers[0]
	if answer.Error != nil {
		return refused{answer.Error}
	}
	start, end := c.atOrAfter(partition, first), c.atOrAfter(partition, last)
	span := answer.GetRange()
	if answer.Outcome != pb.Outcome_OUTCOME_FOUND || span.GetStartOffset() != start || span.GetEndOffset() != end ||
		answer.RecordCount != end-start {
		return wrongAnswer{fmt.Sprintf("[%d, %d) ms is %d..%d of partition %d, not: %v", first, last, start, end, partition, answer)}
	}
	return nil
}

// commit commits the next offset of the next partition, guarded by the one that was acknowledged before.
func (c *caller) commit(ctx context.Context) error {
	partition := int32(c.commits % c.Partitions)
	before, known := c.committed[partition]
	next := before + 1
	entry := &pb.CommitEntry{Topic: c.Topic, Partition: partition, NextOffset: &next, ExpectNoOffset: !known}
	if known {
		entry.ExpectedOffset = &before
	}
	request := &pb.CommitOffsetRequest{
		Source: c.Source, Group: c.group, Entries: []*pb.CommitEntry{entry}, RequestId: rand.Text(),
	}
	tries := 0
	response, err := Retrying(ctx, func(ctx context.Context) (*pb.CommitOffsetResponse, error) {
		tries++
		return c.groups.CommitOffset(ctx, request)
	})
	if err != nil {
		return err
	}
	result := response.Results[0]
	if result.Outcome != pb.CommitOutcome_COMMIT_OUTCOME_COMMITTED {
		if tries == 1 || result.OffsetNow == nil || *result.OffsetNow != next {
			return refused{result.GetError()}
		}
		c.mutex.Lock()
		c.MadeBefore++
		c.mutex.Unlock()
	}
	c.committed[partition] = next
	c.commits++
	return nil
}

// lookup makes any of the lookups.
func (c *caller) lookup() (string, func(context.Context) error) {
	switch die := mathrand.IntN(10); {
	case die < 6:
		return "one", c.one
	case die < 7:
		return "hundred", c.hundred
	default:
		return "window", c.window
	}
}

// keepCalling calls at fixed times; what is late by more than a second isn't sent.
func (c *caller) keepCalling(stop <-chan struct{}, interval time.Duration, next func() (string, func(context.Context) error)) {
	due := time.Now().Add(time.Duration(mathrand.Float64() * float64(interval)))
	for {
		select {
		case <-stop:
			return
		case <-time.After(max(time.Until(due), time.Millisecond)): // so that a stop is seen, late as it may be
		}
		kind, call := next()
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(c.Timeout*float64(time.Second)))
		err := call(ctx)
		cancel()
		c.done(kind, time.Since(began), err)
		due = due.Add(interval)
		if late := time.Since(due); late > time.Second {
			missed := int(late / interval)
			due = due.Add(time.Duration(missed) * interval)
			c.mutex.Lock()
			c.Missed += missed
			c.mutex.Unlock()
		}
	}
}

func open(addresses []string, counter *sendings) (*grpc.ClientConn, error) {
	nodes := manual.NewBuilderWithScheme("nodes")
	var state resolver.State
	for _, address := range addresses {
		state.Addresses = append(state.Addresses, resolver.Address{Addr: address})
	}
	nodes.InitialState(state)
	return grpc.NewClient("nodes:///",
		grpc.WithResolvers(nodes),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(checked),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16<<20)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second}),
		grpc.WithStatsHandler(counter))
}

func main() {
	var plan load
	if err := json.Unmarshal([]byte(os.Args[1]), &plan); err != nil {
		panic(err)
	}
	counter := &sendings{}
	conn, err := open(plan.Addresses, counter)
	if err != nil {
		panic(err)
	}
	result := &tally{
		Calls: map[string]int{}, Failures: map[string]int{}, Micros: map[string][]int64{},
		Committed: map[string]map[int32]int64{},
	}
	stop := make(chan struct{})
	var running sync.WaitGroup
	start := func(number, callers int, rate float64, commits bool) {
		c := &caller{
			load: plan, tally: result,
			resolver: pb.NewResolverServiceClient(conn), groups: pb.NewGroupOffsetsServiceClient(conn),
			group: fmt.Sprintf("%s-go-%d", plan.Run, number), committed: map[int32]int64{},
		}
		next := c.lookup
		if commits {
			result.Committed[c.group] = c.committed
			next = func() (string, func(context.Context) error) { return "commit", c.commit }
		}
		interval := time.Duration(float64(callers) / rate * float64(time.Second))
		running.Go(func() { c.keepCalling(stop, interval, next) })
	}
	for i := range plan.Callers {
		start(i, plan.Callers, plan.Lookups, false)
	}
	for i := range plan.Committers {
		start(i, plan.Committers, plan.Commits, true)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	close(stop)
	running.Wait()
	_ = conn.Close()
	result.SentAgain = counter.count.Load()
	for _, calls := range result.Calls {
		result.SentAgain -= int64(calls)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		panic(err)
	}
}
