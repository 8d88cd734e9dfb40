/** The source whose logs this server owns and writes. */
@NullMarked
package io.whence.source.embedded;

import org.jspecify.annotations.NullMarked;
