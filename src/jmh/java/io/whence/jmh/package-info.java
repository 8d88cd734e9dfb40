/**
 * Benchmarks of what happens within a call, by JMH. Built by the Maven profile {@code bench} alone;
 * run by {@code load-tests/jmh}.
 */
@NullMarked
package io.whence.jmh;

import org.jspecify.annotations.NullMarked;
