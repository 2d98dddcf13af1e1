import { GitSyncError } from './git-sync-error.ts'

const importSsh = () => import('ssh2')
type Ssh = Awaited<ReturnType<typeof importSsh>>['default']

/**
 * The client of SSH. It does not come with the package: it runs a script when it is installed. Only whoever has a repository over SSH needs
 * it. @throws {GitSyncError} `PackageMissing`
 */
export async function loadSsh(load: () => Promise<{ readonly default: Ssh }> = importSsh): Promise<Ssh> {
  try {
    return (await load()).default
  } catch (cause) {
    throw new GitSyncError(
      'failed to use SSH: the package "ssh2" is not installed; add it beside nodewave: npm install --ignore-scripts ssh2@1.17',
      { reason: 'PackageMissing', cause },
    )
  }
}
