/**
 * Very many calls over many connections, to see that each is answered once and with its own answer.
 * Started by {@code load-tests/replies}.
 */
@NullMarked
package io.whence.bench.replies;

import org.jspecify.annotations.NullMarked;
