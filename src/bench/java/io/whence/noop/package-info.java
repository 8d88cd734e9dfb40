/**
 * Methods that do nothing, for load tests: what a call costs in this server before it does
 * anything. Built by the Maven profile {@code bench} alone; no part of Whence.
 */
@NullMarked
package io.whence.noop;

import org.jspecify.annotations.NullMarked;
