import { type Draft, errorAt, type Loaded } from '../draft.ts'
import type { Problem } from '../problem.ts'
import type { Path } from '../source.ts'
import { refusal } from './host-files.ts'

const MANAGERS = ['apt', 'dnf', 'zypper'] as const
const ARMOR = '-----BEGIN PGP PUBLIC KEY BLOCK-----'

/** A key that is no key would be found out by every node. */
export function checkRepositoryKeys({ documents: { HostProfile, KubeletRelease }, files }: Draft): Problem[] {
  return [
    ...[...HostProfile.values()].flatMap((profile) =>
      (profile.spec.repositories ?? []).flatMap((repository, index) =>
        MANAGERS.flatMap((manager) =>
          checkKey(profile, {
            keyFrom: repository[manager]?.keyFrom,
            path: ['repositories', index, manager, 'keyFrom'],
            files,
          }),
        ),
      ),
    ),
    ...[...KubeletRelease.values()].flatMap((release) =>
      MANAGERS.flatMap((manager) =>
        checkKey(release, { keyFrom: release.spec[manager]?.keyFrom, path: [manager, 'keyFrom'], files }),
      ),
    ),
  ]
}

function checkKey(
  document: Loaded<unknown>,
  { keyFrom, path, files }: { readonly keyFrom: string | undefined; readonly path: Path; readonly files: Draft['files'] },
): Problem[] {
  if (keyFrom === undefined) return []
  const refused = refusal(keyFrom, files)
  if (refused) return [errorAt(document, path, { reason: 'MissingReference', ...refused })]
  const file = files.get(keyFrom)
  const text = file?.kind === 'file' ? Buffer.from(file.bytes).toString() : ''
  if (text.startsWith(ARMOR)) return []
  const remedy = `export it with: gpg --armor --export KEYID > ${keyFrom}`
  return [errorAt(document, path, { reason: 'InvalidValue', message: `"${keyFrom}" is no armored public key`, remedy })]
}
