import { packageSubject } from '../../protocol/names.ts'
import { AgentError } from '../agent-error.ts'
import { KUBELET_BINARY } from '../paths.ts'
import type { Resource } from '../resources/kind.ts'
import { kubeletBinary } from '../resources/kubelet-binary.ts'
import { packageClaim, packageKind } from '../resources/package.ts'
import type { Claim } from '../state/managed.ts'
import type { KubeletTarget, LayoutInput } from './layout.ts'

/**
 * What is touched to install the kubelet. A package brings the file that a release of binaries would: what stood there before either of them is
 * kept once.
 */
export function installClaims({ install }: LayoutInput): Claim[] {
  if (install.binary === undefined && install.package === undefined) return []
  const binary = { kind: 'kubelet-binary', key: KUBELET_BINARY }
  return install.package === undefined ? [binary] : [binary, packageClaim(install.package.name)]
}

/** @throws {AgentError} when the release has nothing for this machine. */
export function binaryTarget(input: LayoutInput): KubeletTarget['binary'] {
  const { install, arch, staging } = input
  if (install.package !== undefined) return packageTarget(input)
  if (install.binary === undefined) return undefined
  const artifact = install.binary[arch]
  if (artifact === undefined)
    throw new AgentError(
      `install the kubelet: the release has no binary for "${arch}", only for ${Object.keys(install.binary).join(', ')}`,
      { kind: 'validate', reason: 'NoBinaryForArchitecture' },
    )
  return { subject: KUBELET_BINARY, staged: `${staging}/kubelet-${artifact.sha256}`, artifact }
}

function packageTarget({ install, staging }: LayoutInput): KubeletTarget['binary'] {
  const { name = 'kubelet', version = '' } = install.package ?? {}
  return { subject: packageSubject(name), staged: `${unpackedAt(staging, version)}${KUBELET_BINARY}` }
}

/** Where the archive is unpacked, so that its kubelet can judge what it is going to run with. */
function unpackedAt(staging: string, version: string): string {
  return `${staging}/kubelet-package-${version}`
}

export function binaryResources({ install, staging }: LayoutInput, binary: KubeletTarget['binary']): Resource[] {
  if (install.package !== undefined) {
    const { manager, name, version } = install.package
    const unpackTo = unpackedAt(staging, version)
    return [packageKind.of({ name, version, state: 'present', held: true, unpackTo, manager })]
  }
  if (binary?.artifact === undefined) return []
  return [kubeletBinary.of({ path: KUBELET_BINARY, staged: binary.staged, artifact: binary.artifact })]
}
