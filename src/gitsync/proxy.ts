import { type Environment, statedProxy } from '../protocol/stated-proxy.ts'
import { GitSyncError } from './git-sync-error.ts'

/** @throws {GitSyncError} `UnsupportedProxy`, when what is stated for the repository cannot be used */
export function checkProxy(url: string, environment: Environment): void {
  const { complaint } = statedProxy(new URL(url), environment) ?? {}
  if (complaint !== undefined) throw new GitSyncError(complaint, { reason: 'UnsupportedProxy' })
}
