"""Python as other systems have it: with this folder in PYTHONPATH, PRES_EVAL_TESTS_LACK names the system."""

import os
import select
import signal
import sys

LACKING = {
    "no-fork": ((os, "fork forkpty"),),
    "windows": (
        # Not uname: numpy asks for it wherever sys.platform is linux.
        (os, "fork forkpty preadv pread readv pwritev writev fchmod fchown fchdir posix_fadvise"),
        (os, "sched_getaffinity sysconf getppid mkfifo getuid geteuid"),
        (signal, "SIGHUP SIGQUIT SIGXCPU SIGCHLD SIGKILL SIGPIPE SIGALRM pthread_sigmask"),
        (select, "poll epoll"),
    ),
}
MODULES = {"no-fork": "fcntl", "windows": "fcntl resource pwd grp termios pty tty"}

for system in os.environ.get("PRES_EVAL_TESTS_LACK", "").split():
    for module, names in LACKING[system]:
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    for name in MODULES[system].split():
        sys.modules[name] = None  # type: ignore[assignment] # makes an import fail
