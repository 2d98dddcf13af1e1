/** Runs commands that the owner of the host has named in its policy. */
export interface StepRunner {
  /**
   * Waits for a command that an earlier agent has started, then runs this one to its end.
   * @param argv the program's absolute path, and its arguments
   * @throws {ServiceCallKilled} when this process is being stopped: the command may still run
   */
  run(argv: readonly string[], options: { readonly timeoutSeconds: number }): Promise<StepOutcome>
}

export interface StepOutcome {
  /** -1: a signal ended it. */
  readonly code: number
  readonly timedOut: boolean
  /** What it wrote, both streams; at least its end. */
  readonly output: string
}
