/**
 * Commits of offsets under load, side by side with what they are compared with: one force of the
 * disk, a call that does nothing, and a real broker. Started by {@code load-tests/commits}.
 */
@NullMarked
package io.whence.bench.commit;

import org.jspecify.annotations.NullMarked;
