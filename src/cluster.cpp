#ifndef _WIN32
#include <signal.h>
#endif

#include "cluster_glue.h"
#include "core/archive.h"

using namespace buffet;

// Gives a worker's program the reply (raw; empty at first) to its request and waits for the next
// request. Returns list(request, status, left): the request (raw), the progress of the program, and
// the saved state or the result if the request is to save or to end.
// [[Rcpp::export]]
Rcpp::List member_request_cpp(SEXP member, Rcpp::RawVector reply) {
  const Rcpp::XPtr<Member> m(member);
  if (reply.size() > 0) {
    Reply given;
    from_bytes(as_bytes(reply), given);
    m->team().give(std::move(given));
  }
  Request request = m->team().next();
  Rcpp::RObject left;
  if (request.kind == Request::save) left = m->saved();
  if (request.kind == Request::end) left = m->result();
  return Rcpp::List::create(Rcpp::Named("request") = Rcpp::wrap(to_bytes(request)),
                            Rcpp::Named("status") = m->status(), Rcpp::Named("left") = left);
}

// Ends the program of a worker and frees its rows.
// [[Rcpp::export]]
void close_member_cpp(SEXP member) {
  Rcpp::XPtr<Member>(member).release();
}

// The reply (raw) to the requests of all workers (raw, in the order of their rows), which also says
// whether to save and whether to stop; NULL when their programs have ended.
// [[Rcpp::export]]
Rcpp::RObject member_reply_cpp(Rcpp::List requests, bool save, bool stop) {
  std::vector<Request> all(requests.size());
  for (R_xlen_t m = 0; m < requests.size(); ++m) from_bytes(as_bytes(requests[m]), all[m]);
  Reply reply = reply_to(all);
  if (all.front().kind == Request::end) return R_NilValue;
  reply.save = save;
  reply.stop = stop;
  return Rcpp::wrap(to_bytes(reply));
}

// Number of rows per block for data in memory with this many rows.
// [[Rcpp::export]]
int block_rows_cpp(int rows) {
  return Source::block_rows(rows);
}

// Holds back interrupts, which R would otherwise handle while it waits for a socket, or releases
// them; held interrupts are then delivered unless `forget` is true.
// [[Rcpp::export]]
void hold_interrupts_cpp(bool hold, bool forget) {
#ifndef _WIN32
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  if (forget) signal(SIGINT, signal(SIGINT, SIG_IGN));
  pthread_sigmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &interrupts, nullptr);
#endif
}
