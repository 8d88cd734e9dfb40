/** Offsets that groups have committed: guards, history, expiry, lag, reset plans. */
@NullMarked
package io.whence.commit;

import org.jspecify.annotations.NullMarked;
