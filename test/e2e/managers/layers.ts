/** The init systems of machines that systemd does not run. */
import { packageLayer } from '../build/package-layer.ts'

export interface Init {
  readonly manager: 'openrc' | 'runit' | 'sysvinit'
  readonly packages: readonly string[]
  /** The first process. */
  readonly command: string
}

export const inits: readonly Init[] = [
  { manager: 'openrc', packages: ['openrc'], command: '/sbin/openrc-init' },
  { manager: 'runit', packages: ['runit', 'runit-init', 'runit-helper'], command: '/sbin/init' },
  { manager: 'sysvinit', packages: ['sysvinit-core', 'sysv-rc', 'initscripts'], command: '/sbin/init' },
]

export function initLayer(base: string, { manager, packages }: Init): Promise<string> {
  return packageLayer(base, manager, packages)
}
