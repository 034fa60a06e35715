"""Errors that look alike and are two, and errors that say nothing."""

# Two errors of one tool that look alike.
DIFFERENT = [
    ("ModuleNotFoundError: No module named 'yaml'", "ModuleNotFoundError: No module named 'flask'"),
    ("KeyError: 'user_id'", "KeyError: 'order_id'"),
    ("a.ts(1,2): error TS2304: Cannot find name 'total'.", "a.ts(1,2): error TS2304: Cannot find name 'price'."),
    (
        "a.ts(1,2): error TS2304: Cannot find name 'total'.",
        "a.ts(1,2): error TS2552: Cannot find name 'total'. Did you mean 'sum'?",
    ),
    (
        "error[E0382]: use of moved value: `order`",
        "error[E0499]: cannot borrow `order` as mutable more than once at a time",
    ),
    ("./main.go:4:2: undefined: openPool", "./main.go:4:2: undefined: closePool"),
    (
        "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE could not resolve",
        "npm ERR! code E404\nnpm ERR! 404 Not Found - GET x",
    ),
    ("AxiosError: Request failed with status code 401", "AxiosError: Request failed with status code 500"),
    ("bash: jq: command not found", "bash: yq: command not found"),
    ('ERROR:  relation "invoices" does not exist', 'ERROR:  column "invoices" does not exist'),
    ('ERROR:  relation "invoices" does not exist', 'ERROR:  relation "orders" does not exist'),
    ("fatal: not a git repository", "fatal: refusing to merge unrelated histories"),
    (
        "--- FAIL: TestTotal (0.00s)\n    a_test.go:3: got 1, want 2",
        "--- FAIL: TestPrice (0.00s)\n    a_test.go:3: got 1, want 2",
    ),
    ("FAILED t.py::test_a - assert 1 == 2", "FAILED t.py::test_b - assert 1 == 2"),
    (
        "Error: ENOENT: no such file or directory, open '/a/package.json'",
        "Error: ENOENT: no such file or directory, open '/a/tsconfig.json'",
    ),
    ("Error: Cannot find module './cart'", "Error: Cannot find module './order'"),
    ("make: *** No rule to make target 'docs'.  Stop.", "make: *** No rule to make target 'bench'.  Stop."),
    ("src/a.py:1:8: F401 `os` imported but unused", "src/a.py:1:8: F401 `sys` imported but unused"),
    (
        'Error from server (NotFound): secrets "db" not found',
        'Error from server (Forbidden): secrets "db" is forbidden',
    ),
    ("Caused by: java.lang.NullPointerException: total", "Caused by: java.lang.IllegalStateException: total"),
    ("pool.c:1:2: error: unknown type name 'Pool'", "pool.c:1:2: error: unknown type name 'Cart'"),
]

GENERIC = [
    "Exit code 1",
    "Killed",
    "Exit code 137\nKilled",
    "Command timed out after 120000 ms",
    "The operation timed out.",
    "Command failed with exit code 2",
    "error: command failed",
    "make: *** [Makefile:12: lint] Error 2",
    "npm ERR! Exit status 1",
    "Error: Process completed with exit code 1.",
    "AssertionError",
    "Segmentation fault (core dumped)",
    "FAIL",
    "FAILED (failures=2)",
    "Something went wrong",
    "process exited with status 1",
    "subprocess.TimeoutExpired: Command timed out after 30 seconds",
]
