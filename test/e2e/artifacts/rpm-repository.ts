/** A signed repository of rpm packages for each minor version of the kubelet, laid out as at pkgs.k8s.io. */
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { putFile } from '../build/layers.ts'
import { rpmRoot } from '../build/rpm-root.ts'
import { kubeletUnit } from '../cluster/kubelet-layout.ts'
import { run } from '../exec.ts'
import type { RepositoryVersion } from './apt-repository.ts'

export const rpmRelease = '150500.1.1'

/** Where a version's repository is, below the server's root: `core:/stable:/v1.36/rpm`. */
export function rpmRepositoryPath(version: string): string {
  const [major, minor] = version.split('.')
  return `core:/stable:/v${major}.${minor}/rpm`
}

/** Build and sign them below `target`, by the programs of a root that is thrown away, with a key that is, too. */
export async function buildRpmRepositories(target: string, kubelets: readonly RepositoryVersion[]): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'nodewave-e2e-rpm-'))
  await using base = await rpmRoot(directory, () => undefined)
  // The agent that gpg starts ends with the command: one that lives on keeps the root mounted.
  const inside = (command: readonly string[]) => run('unshare', ['--pid', '--fork', 'chroot', base.root, ...command])
  const gpg = ['gpg', '--homedir', '/srv/gnupg', '--batch', '--quiet']
  await mkdir(join(base.root, 'srv/gnupg'), { mode: 0o700, recursive: true })
  await inside([...gpg, '--passphrase', '', '--quick-generate-key', 'e2e <e2e@nodewave.example>', 'rsa3072', 'sign', 'never'])
  const key = (await inside([...gpg, '--armor', '--export'])).stdout
  for (const { version, binary } of kubelets) {
    const repository = `/srv/${version}`
    await putFile(base.root, { path: `/srv/kubelet-${version}`, content: { file: binary }, mode: 0o755 })
    await putFile(base.root, { path: `/srv/kubelet-${version}.spec`, content: spec(version) })
    const defines = [
      `_rpmdir ${repository}`,
      '_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm',
      '_binary_payload w1.gzdio',
    ]
    const macros = defines.flatMap((text) => ['--define', text])
    await inside(['rpmbuild', '-bb', '--quiet', '--target', 'x86_64', ...macros, `/srv/kubelet-${version}.spec`])
    const rpm = `${repository}/kubelet-${version}-${rpmRelease}.x86_64.rpm`
    await inside(['rpmsign', '--define', '_gpg_name e2e', '--define', '_gpg_path /srv/gnupg', '--addsign', rpm])
    await inside(['createrepo_c', '--quiet', repository])
    await putFile(base.root, { path: `${repository}/repodata/repomd.xml.key`, content: key })
    const place = join(target, rpmRepositoryPath(version))
    await mkdir(join(place, '..'), { recursive: true })
    await run('cp', ['--archive', join(base.root, repository), place])
  }
}

/** The same paths and the same configuration file, and no scripts. */
function spec(version: string): string {
  return `Name: kubelet
Version: ${version}
Release: ${rpmRelease}
Summary: Node agent for Kubernetes clusters
License: Apache-2.0
AutoReqProv: no
%global debug_package %{nil}
%global __os_install_post %{nil}
%description
Node agent for Kubernetes clusters
%install
install -D -m 0755 /srv/kubelet-${version} %{buildroot}/usr/bin/kubelet
install -D -m 0644 /dev/stdin %{buildroot}/usr/lib/systemd/system/kubelet.service <<'UNIT'
${kubeletUnit}UNIT
install -D -m 0644 /dev/stdin %{buildroot}/etc/sysconfig/kubelet <<'DEFAULTS'
KUBELET_EXTRA_ARGS=
DEFAULTS
%files
/usr/bin/kubelet
/usr/lib/systemd/system/kubelet.service
%config(noreplace) /etc/sysconfig/kubelet
`
}
