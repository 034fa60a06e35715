"""onnxruntime without its telemetry: it must neither write a device id into the home folder nor call anybody.

Only what is set before it is first imported counts, so nobody imports it otherwise than through here.
"""

import os
from typing import Any


def onnxruntime() -> Any:
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime as runtime

    runtime.disable_telemetry_events()
    return runtime
