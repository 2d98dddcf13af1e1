/** The kubelet's package, as pkgs.k8s.io has it: same paths, same conffile, same scripts, nothing that restarts the kubelet. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type LayerFile, putFile } from '../build/layers.ts'
import { kubeletUnit } from '../cluster/kubelet-layout.ts'
import { run } from '../exec.ts'

export const packageRevision = '1.1'

export interface DebOptions {
  readonly version: string
  readonly binary: string
  /** Directory that the package is written into. */
  readonly target: string
}

export async function buildKubeletDeb({ version, binary, target }: DebOptions): Promise<void> {
  const tree = join(target, `.tree-${version}`)
  await rm(tree, { recursive: true, force: true })
  for (const file of contents(version, binary)) await putFile(tree, file)
  await mkdir(target, { recursive: true })
  // Compressed little: the time goes into every run, the size is only read over loopback.
  const archive = join(target, `kubelet_${version}-${packageRevision}_amd64.deb`)
  await run('dpkg-deb', ['-Zzstd', '-z1', '--root-owner-group', '-b', tree, archive])
  await rm(tree, { recursive: true })
}

function contents(version: string, binary: string): LayerFile[] {
  return [
    { path: '/usr/bin/kubelet', content: { file: binary } },
    { path: '/lib/systemd/system/kubelet.service', content: kubeletUnit, mode: 0o600 },
    { path: '/etc/default/kubelet', content: 'KUBELET_EXTRA_ARGS=\n', mode: 0o644 },
    { path: '/DEBIAN/control', content: control(version) },
    { path: '/DEBIAN/conffiles', content: '/etc/default/kubelet\n' },
    { path: '/DEBIAN/postinst', content: postinst, mode: 0o755 },
    { path: '/DEBIAN/postrm', content: postrm, mode: 0o755 },
  ]
}

function control(version: string): string {
  return `Package: kubelet
Version: ${version}-${packageRevision}
Section: admin
Priority: optional
Architecture: amd64
Maintainer: Kubernetes Authors <dev@kubernetes.io>
Homepage: https://kubernetes.io
Depends: conntrack, ethtool, iproute2, iptables (>= 1.4.21), mount, util-linux
Description: Node agent for Kubernetes clusters
`
}

/** Every configure presets the unit, so an upgrade enables a kubelet that somebody had disabled. */
const postinst = `#!/bin/sh
set -e
if [ "$1" = configure ] && [ -d /run/systemd/system ]; then
  systemctl daemon-reload >/dev/null || true
  systemctl preset kubelet.service >/dev/null || true
fi
`

const postrm = `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload >/dev/null || true; fi
`
