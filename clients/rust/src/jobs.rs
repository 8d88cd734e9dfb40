//! The jobs: a window and its records, a guarded commit, lag in time, a watch. Each prints lines of text.

use std::{collections::HashSet, time::Duration};

use tokio::time::Instant;
use tonic::Status;

use crate::connection::{Stubs, timed, unary, within};
use crate::errors::Failure;
use crate::pb::{self, time_point::Form, watch_timestamp_response::Event};
use crate::retry::{retrying, wait_to_retry};

/// Why a job did not succeed.
pub enum Trouble {
    /// Some partition failed; what was printed says which and why.
    Refused,
    /// The whole call failed.
    Failed(Status),
}

impl From<Status> for Trouble {
    fn from(status: Status) -> Self {
        Self::Failed(status)
    }
}

/// The stubs, and what all jobs have in common.
pub struct Jobs {
    pub stubs: Stubs,
    pub source: String,
    pub timeout: Duration,
}

/// RFC 3339 with an offset, or digits: epoch milliseconds. The server refuses what looks like seconds.
fn moment(text: &str) -> Option<pb::TimePoint> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let form = match text.parse::<i64>() {
        Ok(ms) if digits => Form::EpochMs(ms),
        _ => Form::Rfc3339(text.to_owned()),
    };
    Some(pb::TimePoint { form: Some(form) })
}

impl Jobs {
    /// Tells where the records of [from, to) lie in all partitions, and reads the first of each from there.
    pub async fn window(
        &self,
        topic: &str,
        from: &str,
        to: &str,
        records: i32,
    ) -> Result<(), Trouble> {
        let result = self.resolve_window(topic, from, to).await?;
        if let Some(error) = &result.error {
            println!("{topic} {}", failed(error));
            return Err(Trouble::Refused);
        }
        println!("{topic}: [{}, {}) ms", result.from_ms, result.to_ms);
        let (mut count, mut found, mut refused) = (0, 0, false);
        for answer in &result.answers {
            let name = format!("{topic}-{}", answer.partition);
            match (&answer.range, &answer.error) {
                (Some(range), _) => {
                    found += 1;
                    count += answer.record_count;
                    println!(
                        "{name} FOUND {}..{}: {} records, {} outside",
                        range.start_offset,
                        range.end_offset,
                        answer.record_count,
                        answer.outside_count
                    );
                    self.read(topic, answer.partition, range, records).await?;
                }
                (_, Some(error)) => {
                    refused = true;
                    println!("{name} {}", failed(error));
                }
                _ => println!(
                    "{name} {}",
                    word("OUTCOME_", answer.outcome().as_str_name())
                ),
            }
        }
        println!(
            "sum: {count} records in {found} of {} partitions",
            result.partition_count()
        );
        if refused {
            return Err(Trouble::Refused);
        }
        Ok(())
    }

    async fn resolve_window(
        &self,
        topic: &str,
        from: &str,
        to: &str,
    ) -> Result<pb::WindowQueryResult, Status> {
        let query = pb::WindowQuery {
            topic: topic.to_owned(),
            from: moment(from),
            to: moment(to),
            ..Default::default()
        };
        let request = pb::ResolveWindowRequest {
            source: self.source.clone(),
            queries: vec![query],
            ..Default::default()
        };
        let response = retrying(self.timeout, async |left| {
            let mut resolver = self.stubs.resolver.clone();
            unary(left, resolver.resolve_window(timed(request.clone(), left))).await
        })
        .await?;
        first(response.results)
    }

    /// Starts at the start of a range, and stops at its end or after so many records.
    async fn read(
        &self,
        topic: &str,
        partition: i32,
        range: &pb::OffsetRange,
        mut records: i32,
    ) -> Result<(), Status> {
        let mut offset = range.start_offset;
        while records > 0 && offset < range.end_offset {
            let request = pb::ReadRequest {
                source: self.source.clone(),
                topic: topic.to_owned(),
                partition,
                offset: Some(offset),
                max_records: Some(records.min(1000)),
                ..Default::default()
            };
            let page = retrying(self.timeout, async |left| {
                let mut logs = self.stubs.logs.clone();
                unary(left, logs.read(timed(request.clone(), left))).await
            })
            .await?;
            for record in &page.records {
                let info = record.info.unwrap_or_default();
                if info.offset < range.end_offset {
                    println!(
                        "  {} at {} ms: {}={}",
                        info.offset,
                        info.timestamp_ms(),
                        String::from_utf8_lossy(record.key()),
                        String::from_utf8_lossy(record.value())
                    );
                }
            }
            if page.next_offset == offset {
                return Ok(());
            }
            records -= page.records.len() as i32;
            offset = page.next_offset;
        }
        Ok(())
    }

    /// Commits one offset. With the request id, sending it again after a lost answer commits nothing twice, where the
    /// same server gets it. In front of a followed cluster each server remembers only what it answered itself: send
    /// what you expect, too, and another one refuses with CONFLICT what is done already.
    pub async fn commit(
        &self,
        group: &str,
        entry: pb::CommitEntry,
        request_id: Option<String>,
    ) -> Result<(), Trouble> {
        let request = pb::CommitOffsetRequest {
            source: self.source.clone(),
            group: group.to_owned(),
            entries: vec![entry],
            request_id: request_id.unwrap_or_else(|| format!("{:032x}", fastrand::u128(..))),
            ..Default::default()
        };
        let mut sent = 0;
        let response = retrying(self.timeout, async |left| {
            sent += 1;
            let mut groups = self.stubs.groups.clone();
            unary(left, groups.commit_offset(timed(request.clone(), left))).await
        })
        .await?;
        let again = if response.replayed {
            " (sent before)"
        } else {
            ""
        };
        let result = first(response.results)?;
        let name = format!("{}-{}", result.topic, result.partition);
        if sent > 1 && is_done(&request.entries[0], &result) {
            println!("{name} COMMITTED -> {} (sent before)", result.offset_now());
            return Ok(());
        }
        if let Some(error) = &result.error {
            println!("{name} {}", failed(error));
            return Err(Trouble::Refused);
        }
        let outcome = word("COMMIT_OUTCOME_", result.outcome().as_str_name());
        let before = result
            .offset_before
            .map_or("none".to_owned(), |offset| offset.to_string());
        println!(
            "{name} {outcome} {before} -> {}{again}",
            result.offset_now()
        );
        Ok(())
    }

    /// Tells how far a group is behind, in records and in time.
    pub async fn lag(&self, group: &str) -> Result<(), Trouble> {
        let query = pb::GroupQuery {
            group: group.to_owned(),
            ..Default::default()
        };
        let request = pb::GetGroupLagRequest {
            source: self.source.clone(),
            queries: vec![query],
            ..Default::default()
        };
        let response = retrying(self.timeout, async |left| {
            let mut groups = self.stubs.groups.clone();
            unary(left, groups.get_group_lag(timed(request.clone(), left))).await
        })
        .await?;
        let result = first(response.results)?;
        if let Some(error) = &result.error {
            println!("{group} {}", failed(error));
            return Err(Trouble::Refused);
        }
        if !result.exists {
            println!("{group} has committed nothing");
            return Err(Trouble::Refused);
        }
        for part in &result.partitions {
            println!("{}-{} {}", part.topic, part.partition, lag_of(part));
        }
        let sum = result.sum.unwrap_or_default();
        println!(
            "sum: {} records in {} partitions, span {} ms",
            sum.record_lag,
            sum.partition_count,
            sum.max_span_ms()
        );
        Ok(())
    }

    /// Tells, per partition and then for all, that a moment has been reached. The deadline ends the wait. A connection
    /// that grows too old does not, nor does a server that stops: asked again, it tells of all partitions again, and
    /// those that we told of are left out.
    pub async fn watch(&self, topic: &str, time: &str) -> Result<(), Trouble> {
        let end = Instant::now() + self.timeout;
        let mut watched = Watched {
            query: pb::WatchQuery {
                topic: topic.to_owned(),
                time: moment(time),
                ..Default::default()
            },
            attempt: 0,
            told: HashSet::new(),
            failed_count: 0,
        };
        loop {
            watched.attempt += 1;
            let Err(status) = self.watch_once(&mut watched, end).await else {
                break;
            };
            if !wait_to_retry(&Failure::of(&status), watched.attempt, end).await {
                return Err(status.into());
            }
        }
        if watched.failed_count > 0 {
            return Err(Trouble::Refused);
        }
        Ok(())
    }

    async fn watch_once(&self, watched: &mut Watched, end: Instant) -> Result<(), Status> {
        let request = pb::WatchTimestampRequest {
            source: self.source.clone(),
            queries: vec![watched.query.clone()],
            ..Default::default()
        };
        let left = end - Instant::now();
        let mut resolver = self.stubs.resolver.clone();
        let mut events = unary(left, resolver.watch_timestamp(timed(request, left))).await?;
        while let Some(response) = within(end - Instant::now(), events.message()).await? {
            response
                .event
                .into_iter()
                .for_each(|event| watched.add(event));
        }
        Ok(())
    }
}

/// What a watch has told so far.
struct Watched {
    query: pb::WatchQuery,
    attempt: u32,
    told: HashSet<String>,
    failed_count: i32,
}

impl Watched {
    /// Prints what an event tells, if it is new.
    fn add(&mut self, event: Event) {
        match event {
            Event::Started(started) => {
                let moment = started.target_timestamp_ms[0];
                self.attempt = 1;
                self.query.time = Some(pb::TimePoint {
                    form: Some(Form::EpochMs(moment)),
                });
                let count = started.partition_count;
                self.tell("", format!("watching {count} partitions for {moment} ms"));
            }
            Event::Partition(partition) => {
                let answer = partition.answer.unwrap_or_default();
                let name = format!("{}-{}", partition.topic, answer.partition);
                let what = match &answer.error {
                    Some(error) => failed(error),
                    None => format!("reached at {}", answer.offset()),
                };
                self.tell(&name, format!("{name} {what}"));
            }
            Event::Done(done) => {
                self.failed_count = done.failed_count;
                let (reached, failed) = (done.reached_count, done.failed_count);
                self.tell("done", format!("done: {reached} reached, {failed} failed"));
            }
            _ => {}
        }
    }

    fn tell(&mut self, what: &str, line: String) {
        if self.told.insert(what.to_owned()) {
            println!("{line}");
        }
    }
}

/// Whether a commit that was sent again is refused because the one before did its work.
fn is_done(entry: &pb::CommitEntry, result: &pb::CommitResult) -> bool {
    let refused = result.error.as_ref().map(pb::PartitionError::reason);
    refused == Some(pb::ErrorReason::Conflict)
        && result.offset_now.is_some()
        && result.offset_now == entry.next_offset
}

/// The only result: each request has one query.
fn first<T>(results: Vec<T>) -> Result<T, Status> {
    let missing = || Status::internal("the answer holds no result");
    results.into_iter().next().ok_or_else(missing)
}

fn lag_of(part: &pb::PartitionLag) -> String {
    if let Some(error) = &part.error {
        return failed(error);
    }
    let mut text = word("LAG_STATUS_", part.status().as_str_name()).to_owned();
    if let Some(records) = part.record_lag {
        text += &format!(": {records} records");
    }
    if let Some(span) = part.span_ms {
        text += &format!(", span {span} ms");
    }
    if let Some(staleness) = part.staleness_ms {
        text += &format!(", waiting for {staleness} ms");
    }
    text
}

fn failed(error: &pb::PartitionError) -> String {
    let reason = word("ERROR_REASON_", error.reason().as_str_name());
    format!("FAILED {reason}: {}", error.message)
}

/// The name of an enum's value without its prefix; UNSPECIFIED for one that is newer than this client.
fn word(prefix: &str, name: &'static str) -> &'static str {
    name.strip_prefix(prefix).unwrap_or(name)
}
