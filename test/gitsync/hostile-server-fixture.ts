import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { createRemoteSource, type RemoteOptions } from '../../src/gitsync/remote-source.ts'
import { aPack, objectHeader } from './a-pack.ts'
import { serverThat } from './follow-fixture.ts'

const NUMBERS = { commit: 1, tree: 2, blob: 3, tag: 4 } as const

export interface Made {
  readonly id: string
  readonly packed: Buffer
}

export function made(type: keyof typeof NUMBERS, content: Buffer | string): Made {
  const bytes = Buffer.from(content)
  const id = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex')
  return { id, packed: Buffer.concat([objectHeader(NUMBERS[type], bytes.length), deflateSync(bytes)]) }
}

export function aTree(entries: readonly (readonly [mode: string, name: string, id: string])[]): Made {
  return made(
    'tree',
    Buffer.concat(entries.map(([mode, name, id]) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]))),
  )
}

export function aCommit(tree: string, more = ''): Made {
  const who = 'Ada <ada@example.invalid> 1700000000 +0000'
  return made('commit', `tree ${tree}\n${more}author ${who}\ncommitter ${who}\n\nhostile\n`)
}

export function line(text: string): string {
  return (text.length + 4).toString(16).padStart(4, '0') + text
}

interface Answers {
  /** What the branch names. */
  readonly head: string
  readonly branch?: string
  readonly capabilities?: string
  readonly objects?: readonly Made[]
  /** What comes before the pack. */
  readonly before?: string
  /** Instead of a pack. */
  readonly answer?: Buffer | string
  readonly status?: number
}

/** A server that speaks the oldest version of the protocol, and says what it likes. */
export async function hostileServer(answers: Answers, options: Partial<RemoteOptions> = {}) {
  const {
    head,
    branch = 'refs/heads/main',
    capabilities = 'shallow side-band-64k',
    objects = [],
    before = '',
    status = 200,
  } = answers
  const pack = aPack(objects.map(({ packed }) => packed))
  const url = await serverThat((request, response) => {
    const isPack = request.url?.endsWith('/git-upload-pack')
    response.writeHead(isPack ? status : 200, {
      'content-type': `application/x-git-upload-pack-${isPack ? 'result' : 'advertisement'}`,
    })
    if (!isPack)
      return response.end(`${line('# service=git-upload-pack\n')}0000${line(`${head} ${branch}\0${capabilities}\n`)}0000`)
    const sent = Buffer.concat([Buffer.from(`${before}${line('NAK\n')}`, 'latin1'), ...inPackets(pack), Buffer.from('0000')])
    return response.end(answers.answer ?? sent)
  })
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-hostile-'))
  const source = createRemoteSource({ url, ref: { branch: 'main' }, directory: join(folder, 'objects'), ...options })
  return { folder, url, source, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

const LONGEST = 65_000

function inPackets(pack: Buffer): Buffer[] {
  const pieces = Array.from({ length: Math.ceil(pack.length / LONGEST) }, (_, n) => pack.subarray(n * LONGEST, (n + 1) * LONGEST))
  return pieces.map((piece) =>
    Buffer.concat([Buffer.from(`${(piece.length + 5).toString(16).padStart(4, '0')}\x01`, 'latin1'), piece]),
  )
}
