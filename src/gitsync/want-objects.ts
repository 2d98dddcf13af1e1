import { Errors, type HttpClient } from 'isomorphic-git'
import { packet } from './partial-fetch.ts'

const CAPABILITIES = 'side-band-64k ofs-delta no-progress'

/** Asks for objects by their ids, whatever refers to them. Their pack goes into the sink of the client. */
export async function wantObjects(client: HttpClient, url: string, ids: readonly string[]): Promise<void> {
  const wants = ids.map((id, n) => packet(n === 0 ? `want ${id} ${CAPABILITIES}\n` : `want ${id}\n`))
  const answer = await client.request({
    url: `${url}/git-upload-pack`,
    method: 'POST',
    headers: {
      'content-type': 'application/x-git-upload-pack-request',
      accept: 'application/x-git-upload-pack-result',
    },
    body: single(Buffer.concat([...wants, Buffer.from('0000'), packet('done\n')])),
  })
  for await (const _ of answer.body ?? []);
  if (answer.statusCode !== 200) throw new Errors.HttpError(answer.statusCode, answer.statusMessage, '')
}

async function* single(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body
}
