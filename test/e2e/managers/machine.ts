/** A machine that another first process than systemd runs, with the checkout and Node.js in it. */
import { readFileSync, realpathSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { debianBase } from '../build/base.ts'
import { type LayerFile, nodejsLayer, putFile } from '../build/layers.ts'
import { cgroupProcesses, createCgroups } from '../cluster/cgroups.ts'
import { launch } from '../cluster/launch.ts'
import { note } from '../cluster/record.ts'
import type { Slot } from '../cluster/slot.ts'
import { waitUntil } from '../cluster/wait.ts'
import { type RunOptions, type RunResult, run } from '../exec.ts'
import { checkout } from '../product/checkout.ts'
import { type Init, initLayer } from './layers.ts'

export interface InitMachine {
  exec(command: readonly string[], options?: RunOptions): Promise<RunResult>
  isUp(): boolean
  /** Where the machine below sees its files. */
  readonly root: string
}

export async function bootInit(slot: Slot, init: Init, files: readonly LayerFile[]): Promise<InitMachine> {
  const name = init.manager
  const base = await debianBase(() => undefined)
  const layers = [await nodejsLayer(), await initLayer(base, init), base]
  const [upper, work, root] = ['upper', 'work', 'root'].map((part) => join(slot.dir, 'nodes', name, part)) as [
    string,
    string,
    string,
  ]
  for (const path of [upper, work, root]) await mkdir(path, { recursive: true })
  for (const file of files) await putFile(upper, file)
  note(slot, { kind: 'mount', path: root })
  await run('mount', ['-t', 'overlay', 'overlay', '-o', `lowerdir=${layers.join(':')},upperdir=${upper},workdir=${work}`, root])
  const cgroups = await createCgroups(slot, name)
  launch(slot, nspawn(slot, { root, init }), { log: join(slot.dir, 'logs', `${name}.log`), cgroups })
  const leader = () => waitUntil(() => leaderOf(cgroups), { for: `the first process of "${name}"` })
  await leader()
  return {
    root,
    isUp: () => leaderOf(cgroups) !== undefined,
    exec: async (command, options) => {
      const env = ['env', '-i', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root']
      const namespaces = ['-m', '-u', '-i', '-n', '-p', '-C', '-r', '-w']
      return run('nsenter', ['-t', String(await leader()), ...namespaces, '--', ...env, ...command], options)
    },
  }
}

function nspawn(slot: Slot, { root, init }: { readonly root: string; readonly init: Init }): string[] {
  const modules = realpathSync(join(checkout, 'node_modules'))
  return [
    ...[
      'systemd-nspawn',
      '--quiet',
      `--directory=${root}`,
      `--machine=e${slot.number}${init.manager}`,
      '--register=no',
      '--keep-unit',
    ],
    ...['--private-network', '--capability=all', '--resolv-conf=off', '--timezone=off', '--link-journal=no', '--console=pipe'],
    ...[`--bind-ro=${checkout}:/checkout`, `--bind-ro=${modules}`, init.command],
  ]
}

/** In its own process namespace it has the id 1. */
function leaderOf([cgroup = '']: readonly string[]): number | undefined {
  return cgroupProcesses(cgroup).find((pid) => {
    try {
      const ids = /^NSpid:\t(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]?.split('\t') ?? []
      return ids.length === 2 && ids[1] === '1' && !readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('systemd-nspawn')
    } catch {
      return false // it has ended
    }
  })
}
