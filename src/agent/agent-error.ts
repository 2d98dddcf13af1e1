import { ERROR_OPENINGS, type ErrorClass } from '../protocol/agent-status.ts'

/**
 * Why the host is not as it is assigned. The class carries the reaction: `download` and `sync` are tried again after a pause,
 * the others only when the assignment changes. The reason is CamelCase and stable, for people's alerts.
 */
export class AgentError extends Error {
  override readonly name = 'AgentError'
  readonly kind: ErrorClass
  readonly reason: string

  constructor(message: string, details: { readonly kind: ErrorClass; readonly reason: string; readonly cause?: unknown }) {
    super(`${ERROR_OPENINGS[details.kind]}: ${message}`, { cause: details.cause })
    this.kind = details.kind
    this.reason = details.reason
  }

  /** Whether the same assignment may pass later, with nobody changing it. */
  get mayPassLater(): boolean {
    return this.kind === 'download' || this.kind === 'sync'
  }
}

/** Reason of the error for a path whose directories others than root may exchange. */
export const UNSAFE_PATH = 'UnsafePath'

/** What a file system says of a path that nobody can use as it is named: no retry helps. */
const PERMANENT = ['ENAMETOOLONG', 'EINVAL', 'ENOTDIR', 'EISDIR', 'ELOOP']

/** Only of what has to do with files: a socket that answers EINVAL may answer otherwise later. */
function isPermanent(error: unknown): boolean {
  const { code, address } = error instanceof Error ? (error as Error & { code?: unknown; address?: unknown }) : {}
  return typeof code === 'string' && PERMANENT.includes(code) && address === undefined
}

/** Anything that was thrown, as an error of the agent; `details` say what it is when nothing better is known. */
export function asAgentError(error: unknown, details: { readonly kind: ErrorClass; readonly reason: string }): AgentError {
  if (error instanceof AgentError) return error
  if (details.kind === 'sync' && isPermanent(error))
    return new AgentError((error as Error).message, { kind: 'validate', reason: 'PathNotUsable', cause: error })
  return new AgentError(error instanceof Error ? error.message : String(error), { ...details, cause: error })
}
