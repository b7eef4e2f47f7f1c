"""What Cortex-M testees share: programs, their debug information, the calling convention, the debugger."""
