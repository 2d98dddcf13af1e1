const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Turns Ctrl-C and its like into an aborted signal until it is disposed of, so that what was set up is taken down. A second one is ignored:
 * npm passes Ctrl-C on to a program that got it from the terminal already.
 */
export function interruption(): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController()
  const interrupt = (): void => controller.abort()
  for (const name of SIGNALS) process.on(name, interrupt)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of SIGNALS) process.off(name, interrupt)
    },
  }
}
