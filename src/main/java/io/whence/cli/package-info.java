/** The command line: a thin gRPC client. */
@NullMarked
package io.whence.cli;

import org.jspecify.annotations.NullMarked;
