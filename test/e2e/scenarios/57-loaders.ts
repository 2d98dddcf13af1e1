/** Kernel arguments as the agent writes them, read by the boot loaders' own programs. */
import { entryWith } from '../../../src/agent/resources/boot-entry-text.ts'
import { defaultEntry, FORMER_MARK, formerEntryScript } from '../../../src/agent/resources/grub-menu.ts'
import { grubSettings } from '../../../src/agent/resources/kernel-arguments.ts'
import { SECTION_FILES } from '../../../src/protocol/written-paths.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { type LoaderRoot, loaderRoot } from '../managers/loaders.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'loaders', nodes: [], run: loaders }]

const WORDS = ['transparent_hugepage=never', 'module_blacklist=a,b', 'isolcpus=1-3']
const MENU = '/boot/grub/grub.cfg'
const ENTRY = `title Debian GNU/Linux
version 6.1.0-1-amd64
machine-id 0123456789abcdef0123456789abcdef
options root=LABEL=root ro
linux /debian/linux
initrd /debian/initrd
`

async function loaders({ slot }: Cluster, { part }: Report): Promise<void> {
  const root = await part('programs of the loaders', () => loaderRoot(slot))
  await part('grub: update-grub', () => byGrub(root))
  await part('grub: a trial boot', () => tryOnce(root))
  await part('systemd-boot: bootctl list', () => bySystemdBoot(root))
}

async function byGrub(root: LoaderRoot): Promise<void> {
  await root.output(['update-grub'])
  const before = await root.output(['cat', MENU])
  await root.put({ path: SECTION_FILES.kernelArguments, content: grubSettings(WORDS) })
  await root.output(['update-grub'])
  await root.output(['grub-script-check', MENU])
  const kernels = (await root.output(['cat', MENU])).split('\n').filter((line) => /^\s*linux\s/.test(line))
  check('there are kernels in the menu', kernels.length > 0, kernels)
  for (const line of kernels)
    check('each has the arguments behind those of the host', line.includes(`quiet ${WORDS.join(' ')}`), line)
  await root.output(['rm', SECTION_FILES.kernelArguments])
  await root.output(['update-grub'])
  check('without the file, the menu is as before', (await root.output(['cat', MENU])) === before)
}

const FORMER_SCRIPT = '/etc/grub.d/45_nodewave-former'
const ENVIRONMENT = '/boot/grub/grubenv'

async function tryOnce(root: LoaderRoot): Promise<void> {
  const before = await root.output(['cat', MENU])
  const [, kernel = '', words = ''] = /^\s*linux\s+(\S+)\s+(.*)$/m.exec(before) ?? []
  const script = formerEntryScript(before, `BOOT_IMAGE=${kernel} ${words}`) ?? ''
  check('the menu has the entry of what runs', script !== '', before)
  await root.put({ path: FORMER_SCRIPT, content: script, mode: 0o755 })
  await root.put({ path: SECTION_FILES.kernelArguments, content: grubSettings(WORDS) })
  await root.output(['update-grub'])
  await root.output(['grub-script-check', MENU])
  const menu = await root.output(['cat', MENU])
  const [former = '', ...others] = menu.split('\n').filter((line) => line.includes(FORMER_MARK))
  check('one entry is as before', others.length === 0 && former.trim().endsWith(`${words.trim()} ${FORMER_MARK}`), former)
  check('the first entry has the arguments', /^\s*linux\s.*$/m.exec(menu)?.[0].trimEnd().endsWith(WORDS.join(' ')) === true, menu)
  await root.output(['grub-reboot', defaultEntry(menu, '')])
  const next = await root.output(['grub-editenv', ENVIRONMENT, 'list'])
  check('the next boot is by the first entry', next.split('\n').includes('next_entry=0'), next)
  await root.output(['grub-editenv', ENVIRONMENT, 'unset', 'next_entry'])
  check('it is forgotten', (await root.output(['grub-editenv', ENVIRONMENT, 'list'])).trim() === '')
  await root.output(['rm', FORMER_SCRIPT, SECTION_FILES.kernelArguments])
  await root.output(['update-grub'])
  check('afterwards the menu is as before', (await root.output(['cat', MENU])) === before)
}

async function bySystemdBoot(root: LoaderRoot): Promise<void> {
  const entries = {
    own: entryWith(ENTRY, WORDS),
    other: entryWith(entryWith(ENTRY, ['nosmt']), WORDS),
    bare: entryWith(ENTRY.replace(/^options.*\n/m, ''), WORDS),
    without: entryWith(entryWith(ENTRY, WORDS), []),
  }
  for (const name of ['linux', 'initrd']) await root.put({ path: `/efi/debian/${name}`, content: '' })
  for (const [name, content] of Object.entries(entries)) await root.put({ path: `/efi/loader/entries/${name}.conf`, content })
  const listed = await root.output(['bootctl', '--esp-path=/efi', '--no-pager', 'list'])
  const options = [...listed.matchAll(/id: (\w+)\.conf[\s\S]*?options: (.*)/g)].map(([, id, line]) => [id, line])
  const ours = `nodewave.arguments=3 ${WORDS.join(' ')}`
  const expected = {
    own: `root=LABEL=root ro ${ours}`,
    other: `root=LABEL=root ro ${ours}`,
    bare: ours,
    without: 'root=LABEL=root ro',
  }
  for (const [id, line] of Object.entries(expected))
    check(
      `bootctl reads the options of "${id}"`,
      options.some(([found, text]) => found === id && text === line),
      listed,
    )
}
