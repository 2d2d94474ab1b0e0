#ifndef _WIN32
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/select.h>
#include <sys/socket.h>
#endif

#include <Rcpp.h>

#ifndef _WIN32
namespace {

/// The port of one end of a socket, which `name_of` tells, or -1.
int port_of(int socket, int (*name_of)(int, sockaddr*, socklen_t*)) {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  if (name_of(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) return -1;
  if (name.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in&>(name).sin_port);
  if (name.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6&>(name).sin6_port);
  return -1;
}

bool delays(int socket) {
  int no_delay = 1;
  socklen_t size = sizeof(no_delay);
  return getsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size) == 0 && no_delay == 0;
}

}  // namespace
#endif

// Has the sockets of this process that are connected through a port send at once what they are
// given. By default the second part of a message waits until the other side acknowledges the first,
// and R writes a message in many parts. Gives how many waited until now. R tells no one the numbers
// of its sockets, so all that it can have are tried.
// [[Rcpp::export]]
int no_delay_cpp(int port) {
  int changed = 0;
#ifndef _WIN32
  const int on = 1;
  for (int socket = 0; socket < FD_SETSIZE; ++socket) {
    if (port_of(socket, getsockname) != port && port_of(socket, getpeername) != port) continue;
    if (delays(socket) && setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0)
      ++changed;
  }
#endif
  return changed;
}
