/** Health and metrics. */
@NullMarked
package io.whence.ops;

import org.jspecify.annotations.NullMarked;
