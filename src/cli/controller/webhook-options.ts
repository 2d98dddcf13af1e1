import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { Certificate, ReceiverOptions } from '../../forge/webhook/receiver.ts'
import { type GitRef, prefixOf } from '../../gitsync/git-ref.ts'
import { type Address, parseAddress } from './address.ts'
import { forgeUrl, repositoryName } from './forge-url.ts'
import { type RefOptions, refOf } from './ref-options.ts'

export interface WebhookOptions {
  readonly webhookAddress?: Address
  readonly webhookSecretFile?: string
  readonly webhookRepository?: string
  readonly webhookTlsCertFile?: string
  readonly webhookTlsKeyFile?: string
}

interface Subject extends RefOptions {
  readonly cwd: string
  readonly repo: string
}

export interface WebhookSettings extends Omit<ReceiverOptions, 'onPush' | 'log' | 'now'> {
  /** What the files have now. Absent: no TLS. */
  readonly certificate?: () => Promise<Certificate>
}

/** Shorter ones can be tried out. */
const SHORTEST_SECRET = 16

export function addWebhookOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--webhook-address <[host]:port>',
        'receive push events of the forge at this address, path /webhook. Default: off',
      ).argParser(parseAddress),
    )
    .option('--webhook-secret-file <file>', 'file with the secret of the webhook; one a line while it is being replaced')
    .option('--webhook-repository <group/name>', 'the repository as its forge names it. Default: the path of --repo')
    .option('--webhook-tls-cert-file <file>', 'certificate for the webhook, as PEM. Default: plain HTTP, behind a proxy')
    .option('--webhook-tls-key-file <file>', 'its private key, as PEM')
}

/** @returns undefined when no webhook is asked for. @throws {Error} saying which option is wrong or missing. */
export async function webhookOf(options: WebhookOptions & Subject): Promise<WebhookSettings | undefined> {
  const { webhookAddress, webhookSecretFile, cwd } = options
  if (webhookAddress === undefined) return undefined
  if (webhookSecretFile === undefined) throw new Error('--webhook-address needs --webhook-secret-file')
  const web = forgeUrl(options.repo)
  if (!web) throw new Error('--webhook-address needs a --repo with a URL; a path is watched')
  const refs = refsOf(refOf(options) ?? { branch: 'main' })
  const secrets = () => readSecrets(resolve(cwd, webhookSecretFile))
  await secrets()
  const certificate = certificateOf(options)
  return {
    ...webhookAddress,
    refs,
    secrets,
    repository: options.webhookRepository ?? repositoryName(web),
    ...(certificate && { certificate, tls: await certificate() }),
  }
}

/** Whose pushes matter. */
function refsOf(ref: GitRef): string {
  if ('commit' in ref) throw new Error('--webhook-address and --commit exclude each other; a push changes no commit')
  return 'semver' in ref ? `${prefixOf(ref)}*` : prefixOf(ref)
}

async function readSecrets(path: string): Promise<readonly string[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim())
  const secrets = lines.filter((line) => line !== '')
  if (secrets.length === 0) throw new Error(`read the secret of the webhook: "${path}" is empty`)
  if (secrets.some((secret) => secret.length < SHORTEST_SECRET))
    throw new Error(`read the secret of the webhook: one in "${path}" is shorter than ${SHORTEST_SECRET} characters`)
  return secrets
}

function certificateOf(options: WebhookOptions & Subject): (() => Promise<Certificate>) | undefined {
  const { webhookTlsCertFile: cert, webhookTlsKeyFile: key, cwd } = options
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined)
    throw new Error('--webhook-tls-cert-file and --webhook-tls-key-file need each other')
  return async () => ({ cert: await readFile(resolve(cwd, cert), 'utf8'), key: await readFile(resolve(cwd, key), 'utf8') })
}
