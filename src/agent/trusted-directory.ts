import { AgentError, UNSAFE_PATH } from './agent-error.ts'
import type { HostFiles } from './ports.ts'

/** What others than root may write tells the agent nothing: `/usr/local` belongs to the group staff on many a Debian. */
export async function isTrustedDirectory(directory: string, files: HostFiles): Promise<boolean> {
  try {
    await files.list(directory)
    return true
  } catch (error) {
    if (error instanceof AgentError && error.reason === UNSAFE_PATH) return false
    throw error
  }
}
