/** Certificates of the gRPC server: read and checked, and read again while it runs. */
@NullMarked
package io.whence.app.tls;

import org.jspecify.annotations.NullMarked;
