/** The port that a source of logs fulfils, and the catalog of sources. */
@NullMarked
package io.whence.source;

import org.jspecify.annotations.NullMarked;
