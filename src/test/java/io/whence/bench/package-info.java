/**
 * What the load tests share: callers under load, the server in a process of its own, figures and
 * their medians. Each load test has a package below.
 */
@NullMarked
package io.whence.bench;

import org.jspecify.annotations.NullMarked;
