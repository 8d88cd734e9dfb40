/**
 * What the tests of every package share: the brute-force oracle, the recorded fixtures, a real
 * broker and child JVMs that can be killed.
 */
@NullMarked
package io.whence.testkit;

import org.jspecify.annotations.NullMarked;
