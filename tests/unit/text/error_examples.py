# what tools print is as long as it is
"""Errors as tools print them, made up: each twice, on two days, with the line that says what is wrong."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    name: str
    once: str
    again: str
    headline: str  # part of what people read of it
    terms: tuple[str, ...] = ()


EXAMPLES = [
    Example(
        name="python traceback",
        once="""\
Traceback (most recent call last):
  File "/home/ann/shop/app.py", line 12, in <module>
    import yaml
ModuleNotFoundError: No module named 'yaml'
""",
        again="""\
INFO starting
Traceback (most recent call last):
  File "/srv/build/shop/main.py", line 431, in run
    import yaml
ModuleNotFoundError: No module named 'yaml'
""",
        headline="ModuleNotFoundError: No module named 'yaml'",
        terms=("ModuleNotFoundError", "yaml"),
    ),
    Example(
        name="python chained",
        once="""\
Traceback (most recent call last):
  File "pool.py", line 8, in connect
    return self.free.pop()
IndexError: pop from empty list

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "pool.py", line 10, in connect
    raise PoolExhausted(self.size)
shop.pool.PoolExhaustedError: all 20 connections are taken after 3.5s
""",
        again="""\
Traceback (most recent call last):
  File "src/pool.py", line 18, in connect
    return self.free.pop()
IndexError: pop from empty list

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "src/pool.py", line 21, in connect
    raise PoolExhausted(self.size)
shop.pool.PoolExhaustedError: all 8 connections are taken after 12.0s
""",
        headline="shop.pool.PoolExhaustedError: all 20 connections",
        terms=("shop.pool.PoolExhaustedError",),
    ),
    Example(
        name="pytest",
        once="""\
=================== FAILURES ===================
_______________ test_total_is_rounded _______________

    def test_total_is_rounded():
>       assert total(3) == 12
E       assert 11 == 12
E        +  where 11 = total(3)

tests/test_cart.py:21: AssertionError
=========== short test summary info ===========
FAILED tests/test_cart.py::test_total_is_rounded - assert 11 == 12
1 failed, 40 passed in 1.22s
""",
        again="""\
_______________ test_total_is_rounded _______________
>       assert total(3) == 15
E       assert 14 == 15

tests/cart/test_cart.py:88: AssertionError
FAILED tests/cart/test_cart.py::test_total_is_rounded - assert 14 == 15
1 failed, 52 passed in 2.01s
""",
        headline="test_total_is_rounded: assert 11 == 12",
        terms=("test_total_is_rounded",),
    ),
    Example(
        name="tsc",
        once="src/pay/card.ts(14,7): error TS2322: Type 'string' is not assignable to type 'CardNumber'.\n",
        again="src/pay/card.ts:140:11 - error TS2322: Type 'string' is not assignable to type 'CardNumber'.\n\n"
        "140     number: raw,\n        ~~~~~~\n\nFound 1 error in src/pay/card.ts:140\n",
        headline="error TS2322: Type 'string' is not assignable to type 'CardNumber'.",
        terms=("TS2322", "CardNumber"),
    ),
    Example(
        name="node stack",
        once="""\
/home/ann/web/server.js:31
    const name = user.profile.name;
                              ^

TypeError: Cannot read properties of undefined (reading 'profile')
    at greet (/home/ann/web/server.js:31:23)
    at Layer.handle (/home/ann/web/node_modules/express/lib/router/layer.js:95:5)

Node.js v20.11.1
""",
        again="""\
[2026-03-02T09:00:00.123Z] Uncaught TypeError: Cannot read properties of undefined (reading 'profile')
    at greet (file:///srv/build/web/server.mjs:77:23)
""",
        headline="TypeError: Cannot read properties of undefined (reading 'profile')",
        terms=("TypeError", "profile"),
    ),
    Example(
        name="node port",
        once="Error: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListenHandle (node:net:1817:16)\n",
        again="Error: listen EADDRINUSE: address already in use 127.0.0.1:8081\n    at Server.listen (node:net:1902:7)\n",
        headline="Error: listen EADDRINUSE: address already in use",
        terms=("EADDRINUSE",),
    ),
    Example(
        name="npm",
        once="""\
npm ERR! code ERESOLVE
npm ERR! ERESOLVE could not resolve
npm ERR!
npm ERR! While resolving: web@1.0.0
npm ERR! A complete log of this run can be found in: /home/ann/.npm/_logs/2026-03-02T09_00_00_000Z-debug-0.log
""",
        again="""\
npm error code ERESOLVE
npm error ERESOLVE could not resolve
npm error While resolving: web@1.4.2
npm error A complete log of this run can be found in: /home/dev/.npm/_logs/2026-04-11T10_12_00_000Z-debug-0.log
""",
        headline="ERESOLVE could not resolve",
        terms=("ERESOLVE",),
    ),
    Example(
        name="go compile",
        once="# example.org/shop/api\n./main.go:42:8: undefined: openPool\n./main.go:90:2: undefined: openPool\n",
        again="# example.org/shop/api\ncmd/api/main.go:7:15: undefined: openPool\n",
        headline="undefined: openPool",
        terms=("openPool",),
    ),
    Example(
        name="go panic",
        once="panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\nmain.main()\n"
        "\t/home/ann/x/main.go:9 +0x1d\nexit status 2\n",
        again="panic: runtime error: index out of range [17] with length 12\n\ngoroutine 34 [running]:\nmain.work(0xc000012345)\n"
        "\t/srv/x/main.go:19 +0x9f\nexit status 2\n",
        headline="panic: runtime error: index out of range",
    ),
    Example(
        name="go test",
        once="=== RUN   TestTotal\n    cart_test.go:31: Total() = 11, want 12\n--- FAIL: TestTotal (0.00s)\nFAIL\n"
        "FAIL\texample.org/shop/cart\t0.211s\nFAIL\n",
        again="--- FAIL: TestTotal (0.03s)\n    cart_test.go:48: Total() = 14, want 15\nFAIL\n",
        headline="TestTotal: Total() = 11, want 12",
        terms=("TestTotal",),
    ),
    Example(
        name="cargo",
        once="   Compiling shop v0.1.0 (/home/ann/shop)\nwarning: unused variable: `x`\nerror[E0382]: borrow of moved value: `order`\n"
        "  --> src/main.rs:14:20\n   |\n12 |     let order = Order::new();\n"
        'error: could not compile `shop` (bin "shop") due to 1 previous error\n',
        again="error[E0382]: borrow of moved value: `order`\n  --> src/cart/mod.rs:214:9\n   |\n",
        headline="error[E0382]: borrow of moved value: `order`",
        terms=("E0382",),
    ),
    Example(
        name="rust panic",
        once="thread 'main' panicked at src/main.rs:4:5:\ncalled `Option::unwrap()` on a `None` value\n"
        "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
        again="thread 'main' panicked at src/bin/serve.rs:41:15:\ncalled `Option::unwrap()` on a `None` value\n",
        headline="panicked: called `Option::unwrap()` on a `None` value",
        terms=("Option::unwrap",),
    ),
    Example(
        name="java",
        once='Exception in thread "main" org.shop.StartFailedException: cannot start\n'
        "\tat org.shop.Main.main(Main.java:12)\nCaused by: java.lang.ClassNotFoundException: org.postgresql.Driver\n"
        "\tat java.base/jdk.internal.loader.BuiltinClassLoader.loadClass(BuiltinClassLoader.java:641)\n\t... 5 more\n",
        again='Exception in thread "worker-7" org.shop.StartFailedException: cannot start\n'
        "\tat org.shop.Main.run(Main.java:120)\nCaused by: java.lang.ClassNotFoundException: org.postgresql.Driver\n\t... 17 more\n",
        headline="java.lang.ClassNotFoundException: org.postgresql.Driver",
        terms=("java.lang.ClassNotFoundException", "org.postgresql.Driver"),
    ),
    Example(
        name="kotlin",
        once="e: file:///home/ann/app/src/Main.kt:12:5 Unresolved reference: openPool\n\nFAILURE: Build failed with an exception.\n",
        again="> Task :compileKotlin FAILED\ne: file:///srv/build/app/src/Cart.kt:120:15 Unresolved reference: openPool\n",
        headline="Unresolved reference: openPool",
        terms=("openPool",),
    ),
    Example(
        name="maven",
        once="[INFO] Compiling 4 source files\n[ERROR] /home/ann/a/Cart.java:[12,9] cannot find symbol\n"
        "  symbol:   class Money\n  location: class Cart\n",
        again="[ERROR] /srv/b/Order.java:[77,19] cannot find symbol\n  symbol:   class Money\n",
        headline="cannot find symbol symbol: class Money",
    ),
    Example(
        name="gcc",
        once="pool.c: In function 'main':\npool.c:12:5: error: implicit declaration of function 'open_pool'\n   12 |     open_pool();\n",
        again="src/pool.c:4:15: error: implicit declaration of function 'open_pool'\nmake: *** [Makefile:7: pool.o] Error 1\n",
        headline="error: implicit declaration of function 'open_pool'",
        terms=("open_pool",),
    ),
    Example(
        name="make",
        once="make: *** No rule to make target 'docs', needed by 'all'.  Stop.\n",
        again="make[2]: *** No rule to make target 'docs', needed by 'all'.  Stop.\nmake: *** [Makefile:12: all] Error 2\n",
        headline="No rule to make target 'docs'",
    ),
    Example(
        name="docker",
        once='docker: Error response from daemon: Conflict. The container name "/db" is already in use by container '
        '"4f1c2d9e8b7a66554433221100ffeeddccbbaa99887766554433221100aabbcc".\n',
        again='docker: Error response from daemon: Conflict. The container name "/db2" is already in use by container '
        '"99aabbccddeeff00112233445566778899aabbccddeeff001122334455667788".\n',
        headline="Error response from daemon: Conflict.",
    ),
    Example(
        name="kubectl",
        once='Error from server (NotFound): deployments.apps "api-7d9f8b6c5-x2x1z" not found\n',
        again='Error from server (NotFound): deployments.apps "api-5c6b8f9d7-a9a8b" not found\n',
        headline="Error from server (NotFound): deployments.apps",
        terms=("NotFound",),
    ),
    Example(
        name="git",
        once="To github.com:ann/shop.git\n ! [rejected]        main -> main (non-fast-forward)\n"
        "error: failed to push some refs to 'github.com:ann/shop.git'\nhint: Updates were rejected\n",
        again=" ! [rejected]        main -> main (non-fast-forward)\n"
        "error: failed to push some refs to 'git@example.org:team/shop.git'\n",
        headline="[rejected] main -> main (non-fast-forward)",
    ),
    Example(
        name="psql",
        once='psql: error: connection to server at "10.1.4.9", port 5432 failed: FATAL:  password authentication failed for '
        'user "ann"\n',
        again='psql: error: connection to server at "db.internal", port 6432 failed: FATAL:  password authentication failed '
        'for user "build"\n',
        headline="password authentication failed for user",
    ),
    Example(
        name="postgres",
        once='ERROR:  relation "invoices" does not exist\nLINE 1: SELECT * FROM invoices WHERE id = 7\n',
        again='2026-03-02 09:00:00.123 UTC [4711] ERROR:  relation "invoices" does not exist\n',
        headline='ERROR: relation "invoices" does not exist',
        terms=("invoices",),
    ),
    Example(
        name="terraform",
        once='╷\n│ Error: Reference to undeclared resource\n│ \n│   on main.tf line 12, in resource "aws_instance" "web":\n',
        again='│ Error: Reference to undeclared resource\n│ \n│   on network.tf line 120, in module "net":\n',
        headline="Error: Reference to undeclared resource",
    ),
    Example(
        name="eslint",
        once="/home/ann/web/src/cart.ts\n  12:5   error  'total' is defined but never used  no-unused-vars\n\n✖ 1 problem (1 error)\n",
        again="/srv/web/src/order.ts\n  120:15  error  'total' is defined but never used  no-unused-vars\n",
        headline="'total' is defined but never used no-unused-vars",
        terms=("total",),
    ),
    Example(
        name="ruff",
        once="src/cart.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n",
        again="tests/unit/test_cart.py:14:8: F401 [*] `os` imported but unused\nFound 3 errors.\n",
        headline="F401 [*] `os` imported but unused",
        terms=("F401",),
    ),
    Example(
        name="mypy",
        once='src/cart.py:12: error: Argument 1 to "total" has incompatible type "str"; expected "int"  [arg-type]\n',
        again='cart/sum.py:120:15: error: Argument 2 to "total" has incompatible type "str"; expected "int"  [arg-type]\n',
        headline="error: Argument 1 to",
        terms=("total",),
    ),
    Example(
        name="shell",
        once="bash: line 1: jq: command not found\n",
        again="/bin/bash: line 47: jq: command not found\n",
        headline="jq: command not found",
    ),
    Example(
        name="missing file",
        once="Error: ENOENT: no such file or directory, open '/home/ann/shop/package.json'\n",
        again="Error: ENOENT: no such file or directory, open '/srv/build/other/package.json'\n",
        headline="ENOENT: no such file or directory",
        terms=("ENOENT",),
    ),
    Example(
        name="http",
        once="AxiosError: Request failed with status code 401\n    at settle (/home/ann/web/node_modules/axios/lib/core/settle.js:19:12)\n",
        again="AxiosError: Request failed with status code 401\n    at settle (file:///srv/web/axios.js:1966:12)\n",
        headline="AxiosError: Request failed with status code 401",
        terms=("AxiosError",),
    ),
    Example(
        name="curl",
        once="curl: (7) Failed to connect to localhost port 3000 after 0 ms: Connection refused\n",
        again="curl: (7) Failed to connect to localhost port 8080 after 12 ms: Connection refused\n",
        headline="Failed to connect to localhost port 3000",
    ),
    Example(
        name="log",
        once="\n".join(f"2026-03-02T09:00:{n % 60:02} INFO request {n} done" for n in range(600))
        + "\n2026-03-02T09:11:00 ERROR payments: card processor rejected the signature of request 8f14e45fceea\n"
        + "\n".join(f"2026-03-02T09:12:{n % 60:02} INFO request {n} done" for n in range(900)),
        again="2026-05-09T19:11:00 ERROR payments: card processor rejected the signature of request 45c48cce2e2d\n",
        headline="payments: card processor rejected the signature",
    ),
    Example(
        name="logfmt",
        once='time=2026-03-02T09:00:00Z level=ERROR msg="cannot load" file=/home/ann/a.toml error="toml: key is defined twice"\n',
        again='time=2026-04-02T10:00:00Z level=ERROR msg="cannot load" file=/srv/b.toml error="toml: key is defined twice"\n',
        headline="toml: key is defined twice",
    ),
    Example(
        name="jest",
        once="  ● cart › adds two prices\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 12\n"
        "    Received: 11\n\n      at Object.toBe (src/cart.test.ts:14:23)\n",
        again="FAIL src/cart.test.ts\n  ● cart › adds two prices\n\n    expect(received).toBe(expected) // Object.is equality\n\n"
        "    Expected: 3\n    Received: 5\n",
        headline="cart › adds two prices: expect(received).toBe(expected)",
    ),
    Example(
        name="agent's edit",
        once="<tool_use_error>String to replace not found in file.\nString: const a = 1</tool_use_error>",
        again="<tool_use_error>String to replace not found in file.\nString: def total():\n    return 2</tool_use_error>",
        headline="String to replace not found in file.",
    ),
    Example(
        name="coloured",
        once="\x1b[31m\x1b[1merror\x1b[0m: package `serde_yaml` cannot be built\n",
        again="error: package `serde_yaml` cannot be built\n",
        headline="error: package `serde_yaml` cannot be built",
        terms=("serde_yaml",),
    ),
    Example(
        name="pytest assertion whose name stands below",
        once="""\
E   AssertionError: assert '2026-03-01' == '2026-02-28'
tests/test_billing.py:88: AssertionError
=========================== short test summary info ============
FAILED tests/test_billing.py::test_period_end - AssertionError: assert '2026-...
""",
        again="""\
E   AssertionError: assert '2027-05-31' == '2027-05-30'
tests/test_billing.py:112: AssertionError
=========================== short test summary info ============
FAILED tests/test_billing.py::test_period_end - AssertionError: assert '2027-...
""",
        headline="test_period_end: AssertionError",
        terms=("AssertionError",),
    ),
    Example(
        name="go package without a test",
        once="FAIL\nFAIL\tgithub.com/acme/shop/pkg/orders\t0.211s\nFAIL\n",
        again="FAIL\nFAIL\tgithub.com/acme/shop/pkg/orders\t1.02s\nFAIL\n",
        headline="package orders failed",
    ),
    Example(
        name="a log with the day alone",
        once="2026-01-09 ERROR [shop.worker] queue orders has no consumer on host 7",
        again="2026-02-11 ERROR [shop.worker] queue orders has no consumer on host 12",
        headline="queue orders has no consumer",
    ),
    Example(
        name="rspec class above its message",
        once="     NoMethodError:\n       undefined method `closed_at=' for an instance of Order\n     # ./order.rb:31:in `close!'",
        again="     NoMethodError:\n       undefined method `closed_at=' for an instance of Order\n     # ./order.rb:58:in `close!'",
        headline="NoMethodError: undefined method `closed_at=' for an instance of Order",
        terms=("NoMethodError",),
    ),
    Example(
        name="a flag that is not known",
        once="Error: unknown flag: --frobnicate\nUsage:\n  shop run [flags]",
        again="Error: unknown flag: --frobnicate\nUsage:\n  shop run [flags] 7",
        headline="unknown flag: --frobnicate",
        terms=("--frobnicate",),
    ),
]

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
    "No such file or directory",
    "Permission denied",
    "husky - pre-commit hook exited with code 1 (error)",
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
