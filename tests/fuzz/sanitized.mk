# Personal Makevars of `make fuzz-sanitized`: the package with AddressSanitizer and UBSan, whose first
# finding ends the process. Checks of null pointers and sizes of objects would triple the
# compilation time.
DEBUG = -g1
CXX17FLAGS = -O1 -fno-var-tracking -fno-omit-frame-pointer -fsanitize=address,undefined \
  -fno-sanitize=null,object-size,vptr -fno-sanitize-recover=undefined
LDFLAGS += -fsanitize=address,undefined
