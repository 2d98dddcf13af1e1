import { HOST_SECTIONS, type HostRepository } from '../../protocol/host-document.ts'
import { AgentError } from '../agent-error.ts'
import type { PackageFormat } from '../package-manager.ts'
import { sha256Of } from '../sha256.ts'
import { defineKind } from './define-kind.ts'
import { giveBackFile } from './file.ts'
import { type FileBaseline, fileBaselines, recaptureUnless } from './file-baseline.ts'
import { type FileChange, fileHands } from './file-hands.ts'
import type { CaptureContext, Kind, Section } from './kind.ts'
import { readRegular } from './regular-file.ts'
import { filesOf, type RepositoryFile } from './repository-files.ts'

const section: Section = {
  key: 'repositories',
  schema: HOST_SECTIONS.repositories,
  managed: (repositories: readonly HostRepository[]) => ({
    claims: repositories.flatMap(filesOf).map(({ path }) => ({ kind: 'repository', key: path })),
    triggers: [],
  }),
  resources: async (repositories: readonly HostRepository[]) => repositories.flatMap(filesOf).map((spec) => repository.of(spec)),
}

/** Files with a key: packages of the same change are solved with them before they are there. */
export const repository: Kind<RepositoryFile> = defineKind({
  name: 'repository',
  ...fileHands,
  section,
  subject: ({ path }: RepositoryFile) => path,
  observe: async ({ path, manager }, { files, packages }) => {
    refuseOther({ path, manager }, packages.format)
    return readRegular(files, path)
  },
  differ: ({ path, text }, actual): FileChange | undefined => {
    const bytes = Buffer.from(text)
    if (actual !== undefined && Buffer.compare(actual.bytes, bytes) === 0 && actual.stat.mode === MODE) return undefined
    return { do: 'write', path, bytes, mode: MODE }
  },
  // Before the packages, which come before files.
  order: () => -3,
  baseline: { ...fileBaselines, giveBack: giveBackFile, recapture },
})

const MODE = 0o644

/** It would be written, and nobody would ever read it. */
function refuseOther({ path, manager }: Pick<RepositoryFile, 'path' | 'manager'>, format: PackageFormat): void {
  if (manager === format.manager) return
  throw new AgentError(
    `manage repository "${path}": it is for ${manager}, and the packages of this host are managed by ${format.manager}`,
    {
      kind: 'validate',
      reason: 'NoPackageManager',
    },
  )
}

function recapture(
  base: FileBaseline,
  { spec, context }: { readonly spec: RepositoryFile; readonly context: CaptureContext },
): Promise<FileBaseline> {
  return recaptureUnless(base, { isOurs: (sha256) => sha256 === sha256Of(Buffer.from(spec.text)), context })
}
