package io.whence.model;

/**
 * What is unusual about the timestamps of the visible records of a log. Thread safety: immutable.
 *
 * @param recordCount how many visible records there are
 * @param future those with a timestamp after the clock
 * @param missing those without a timestamp
 * @param disordered those with a timestamp before the one of an earlier record
 * @param maxDisorderMs the furthest that one lies before an earlier one; 0 if none does
 */
public record TimestampSurvey(
    long recordCount,
    UnusualRecords future,
    UnusualRecords missing,
    UnusualRecords disordered,
    long maxDisorderMs) {}
