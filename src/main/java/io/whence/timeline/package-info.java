/** The exact time index of records in memory: staircases of timestamps, packed. */
@NullMarked
package io.whence.timeline;

import org.jspecify.annotations.NullMarked;
