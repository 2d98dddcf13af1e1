import * as z from 'zod'
import { ADDED_LINE, BLOCK_CONTENT, BLOCK_NAME, COMMENT_SIGN } from '../../protocol/file-edits.ts'
import { STEP_NAME } from '../../protocol/host-document.ts'
import { AGENT_UNIT } from '../../protocol/names.ts'
import { accounts } from './accounts.ts'
import { absolutePath, document, downloadFields, name, relativePath } from './common.ts'
import { kernelSettings } from './kernel-settings.ts'
import { hostPackage, hostRepository } from './packages.ts'
import { runtime, withRuntime } from './runtime.ts'
import { staticPods } from './static-pods.ts'
import { systemSettings } from './system-settings.ts'

const KEY = 'expected keys of nested maps with dots between them, such as "db.password", or a list of them: [tls, server.key]'

const secretRef = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/, 'expected the name of a Secret such as "db"')
    .describe('Name of the Secret, in the namespace that the controller takes Secrets from.'),
  key: z
    .string()
    .regex(/^[-._a-zA-Z0-9]{1,253}$/, 'expected a key of a Secret such as "password" or "tls.crt"')
    .describe('Key in it, such as "tls.crt".'),
})

const contentFrom = z
  .strictObject({
    sopsFile: relativePath
      .exactOptional()
      .describe('A file of the repository that SOPS encrypted for age keys. The controller decrypts it.'),
    key: z
      .union([z.string().regex(/^[^.\s]+(?:\.[^.\s]+)*$/, KEY), z.array(z.string().min(1, KEY)).min(1, KEY).max(20)], KEY)
      .exactOptional()
      .describe(
        'The value at this key is the content: "db.password", or as a list where a key has a dot: [tls, server.key]. Default: the whole file, encrypted as binary.',
      ),
    secretRef: secretRef.exactOptional().describe('A value of a Secret of the cluster instead.'),
  })
  .refine(
    ({ sopsFile, secretRef, key }) =>
      (sopsFile === undefined) !== (secretRef === undefined) && (key === undefined || sopsFile !== undefined),
    'expected one of sopsFile and secretRef; the key of a secretRef stands in it',
  )

const download = z.strictObject(downloadFields)
const ownerName = z.string().min(1)

/** A file on the host: its content stands here, in a file of the repository, or is downloaded. */
export const hostFile = z
  .strictObject({
    path: absolutePath.describe('Where the file is on the host.'),
    content: z
      .string()
      .max(512 * 1024)
      .exactOptional()
      .describe('The text of the file.'),
    from: relativePath.exactOptional().describe('A file of the repository instead, relative to the folder of the fleet.'),
    contentFrom: contentFrom.exactOptional().describe('A secret instead: only the nodes that need the file can read it.'),
    download: download.exactOptional().describe('What is at a URL instead.'),
    template: z
      .literal(true)
      .exactOptional()
      .describe(
        'Fills in the templates of the text, such as `{{ node.name }}`, on each node. With content or from. Default: braces stay as they are.',
      ),
    mode: z
      .string('expected a file mode as a quoted string, such as "0644"')
      .regex(/^0?[0-7]{3,4}$/, 'expected a file mode such as "0644"')
      .exactOptional()
      .describe(
        'Quoted, because YAML reads 0644 as the number 644. Default: the mode of the existing file, "0644" for a new one; "0600" with contentFrom.',
      ),
    owner: z.string().min(1).exactOptional().describe('Default: that of the existing file, root for a new one.'),
    group: z.string().min(1).exactOptional().describe('Default: that of the existing file, root for a new one.'),
    state: z.enum(['present', 'absent']).exactOptional().describe('Default: present.'),
  })
  .refine(hasOneSource, 'expected one of content, from, contentFrom and download, and none of them with state: absent')
  .refine(hasTextToFill, 'template: true needs content or from')

export const edits = z
  .strictObject({
    path: absolutePath.describe('The file. One that is not there is made.'),
    blocks: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(BLOCK_NAME, 'expected a name such as "registry"; "lines" is the block of lines')
            .describe('Stands in the marks of the block; unique for a path in a pool.'),
          content: z
            .string()
            .max(64 * 1024)
            .regex(BLOCK_CONTENT, 'a block has no marks of nodewave in it')
            .describe('The lines of the block.'),
        }),
      )
      .max(100)
      .exactOptional()
      .describe('Blocks, each between two comments. A block stays where it is; a new one comes last.'),
    lines: z
      .array(z.string().max(4096).regex(ADDED_LINE, 'expected one line with something on it, and no mark of nodewave'))
      .max(1000)
      .exactOptional()
      .describe('Lines that are added when the file has them nowhere else.'),
    comment: z
      .string()
      .regex(COMMENT_SIGN, 'expected what begins a comment, such as ";" or "//"')
      .exactOptional()
      .describe('What begins a comment in this file. Default: "#".'),
  })
  .refine(({ blocks = [], lines = [] }) => blocks.length + lines.length > 0, 'expected blocks or lines')

const directory = z.strictObject({
  path: absolutePath.describe('Where the directory is on the host.'),
  mode: z
    .string('expected a mode as a quoted string, such as "0755"')
    .regex(/^0?[0-7]{3,4}$/, 'expected a mode such as "0755"')
    .exactOptional()
    .describe('Quoted. Default: that of the existing directory, "0755" for a new one.'),
  owner: ownerName.exactOptional().describe('Default: that of the existing directory, root for a new one.'),
  group: ownerName.exactOptional().describe('Default: that of the existing directory, root for a new one.'),
})

const link = z.strictObject({
  path: absolutePath.describe('Where the symbolic link is on the host.'),
  target: absolutePath.describe('What it leads to, which need not be there.'),
})

const archive = z.strictObject({
  name: name.describe('Names the archive in plans; unique in a pool.'),
  ...downloadFields,
  directory: absolutePath.describe('Where it is unpacked.'),
  strip: z.int().min(0).max(20).exactOptional().describe('How many of the first parts of each path are left out. Default: 0.'),
})

const pathOrPackage = z.union([absolutePath, z.string().regex(/^package:[A-Za-z0-9][A-Za-z0-9+._-]{0,120}$/)])

const unit = z.strictObject({
  name: z
    .string()
    .regex(
      /^[A-Za-z0-9:_.@\\-]{1,200}\.(?:service|socket|timer|mount|automount|swap|path|target|slice)$/,
      'expected a unit name such as "chrony.service"',
    )
    .refine((name) => name !== AGENT_UNIT, 'an agent cannot restart itself; write its drop-ins as files'),
  content: z.string().exactOptional().describe('The unit file; absent: the unit is the one the distribution brings.'),
  dropIns: z
    .record(
      z.string().regex(/^[A-Za-z0-9_.-]{1,200}\.conf$/, 'expected the name of a drop-in such as "10-limits.conf"'),
      z.string(),
    )
    .exactOptional()
    .describe('Drop-ins by file name.'),
  enabled: z
    .boolean()
    .exactOptional()
    .describe(
      'Whether the unit starts at boot. Default: unchanged. A unit without `[Install]` cannot be enabled: neither value changes it.',
    ),
  state: z.enum(['running', 'stopped']).exactOptional().describe('Default: unchanged.'),
  restartOn: z
    .array(pathOrPackage)
    .exactOptional()
    .describe('Files, and packages as `package:NAME`, whose change restarts the unit, besides its own files.'),
  masked: z
    .literal(true)
    .exactOptional()
    .describe('Nothing can start the unit. One that runs goes on to run without state: stopped.'),
})
const anyUnit = unit.refine(
  ({ masked, content, enabled, state }) => !masked || (content === undefined && enabled !== true && state !== 'running'),
  'a masked unit cannot have content, be enabled or be running',
)

const stepName = z
  .string()
  .regex(STEP_NAME, 'expected the name of a step in the policy of the hosts, such as "leave-balancer"')
  .describe('Name of a step in `/etc/nodewave/policy.yaml` of the host.')

const steps = z.strictObject({
  before: z.array(stepName).max(20).exactOptional().describe('Before anything is changed, in this order.'),
  after: z.array(stepName).max(20).exactOptional().describe('When the change has proved healthy, in this order.'),
})

const hostProfileSpec = z.strictObject({
  files: z.array(hostFile).max(1000).exactOptional(),
  edits: z.array(edits).max(500).exactOptional().describe('Blocks and lines in files that others own.'),
  directories: z.array(directory).max(1000).exactOptional().describe('Directories with mode and owner.'),
  links: z.array(link).max(1000).exactOptional().describe('Symbolic links.'),
  ...accounts,
  archives: z.array(archive).max(100).exactOptional().describe('Archives that are unpacked into a directory.'),
  units: z.array(anyUnit).max(200).exactOptional().describe('Services and their like.'),
  rebootOn: z
    .array(pathOrPackage)
    .max(200)
    .exactOptional()
    .describe(
      'Files, and packages as `package:NAME`, whose change counts only after a reboot: the node is drained and reboots with it.',
    ),
  steps: steps
    .exactOptional()
    .describe('Commands around each change. Their text stands in the policy of the host, and never in Git.'),
  repositories: z
    .array(hostRepository)
    .max(100)
    .exactOptional()
    .describe(
      'Repositories of packages. Each becomes a file `nodewave-NAME.sources` of apt, or `nodewave-NAME.repo` of dnf or zypper.',
    ),
  packages: z
    .array(hostPackage)
    .max(1000)
    .exactOptional()
    .describe('Packages of the system, by apt and dpkg, or by dnf or zypper and rpm.'),
  staticPods,
  runtime: runtime.exactOptional().describe('The container runtime, as the packages, files and unit that it consists of.'),
  ...kernelSettings,
  ...systemSettings,
})

function expanded(spec: z.infer<typeof hostProfileSpec>): HostProfileSpec {
  return withRuntime(spec)
}

export const hostProfile = document('HostProfile', hostProfileSpec.transform(expanded)).describe(
  'Files, units and settings around the kubelet.',
)
export type HostProfileSpec = Omit<z.infer<typeof hostProfileSpec>, 'runtime'>
export type HostFileSpec = z.infer<typeof hostFile>
export type FileEditsSpec = z.infer<typeof edits>
export type SecretSource = z.infer<typeof contentFrom>
export type SopsSource = SecretSource & { readonly sopsFile: string }

function hasTextToFill({ template, content, from }: Sources): boolean {
  return template === undefined || content !== undefined || from !== undefined
}

interface Sources {
  readonly template?: true | undefined
  readonly content?: string | undefined
  readonly from?: string | undefined
  readonly contentFrom?: object | undefined
  readonly download?: object | undefined
  readonly state?: string | undefined
}

function hasOneSource(file: Sources): boolean {
  const sources = [file.content, file.from, file.contentFrom, file.download].filter((source) => source !== undefined).length
  return sources === (file.state === 'absent' ? 0 : 1)
}
