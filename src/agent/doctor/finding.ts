export const FINDING_STATES = ['ok', 'warning', 'error'] as const

/** One line of a diagnosis. */
export interface Finding {
  readonly check: string
  readonly state: (typeof FINDING_STATES)[number]
  readonly message: string
  /** What to do, unless all is well. */
  readonly remedy?: string
}

export function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message }
}

export function warned(check: string, message: string, remedy: string): Finding {
  return { check, state: 'warning', message, remedy }
}

/** It keeps the agent, or the kubelet, from working. */
export function failed(check: string, message: string, remedy: string): Finding {
  return { check, state: 'error', message, remedy }
}
