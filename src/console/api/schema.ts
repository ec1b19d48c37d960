// Made of the interface document by npm run openapi.
export interface paths {
    "/admin/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the first owner with the one-time address that the server prints
         * @description Works while there is nobody else. The address is in the output of `appsvc serve`, and works for 30 minutes.
         */
        post: operations["postAdminV1Setup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your open sessions
         * @description Only those that are open.
         */
        get: operations["getAdminV1Sessions"];
        put?: never;
        /**
         * Sign in with e-mail address and password, and with a code where the second factor is on
         * @description The cookie is `HttpOnly` and `SameSite=Strict`. The session ends after 12 hours without use, and after 7 days at the latest. An unknown address and a wrong password get the same answer after the same time.
         */
        post: operations["postAdminV1Sessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say how people sign in here
         * @description Needs no credentials. `setup` is true as long as nobody can sign in.
         */
        get: operations["getAdminV1State"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a one-time address: of an invitation, of a forgotten password, of the demo
         * @description An invitation and a forgotten password need a new `password`. A forgotten password ends all sessions, passkeys, personal tokens and the second factor.
         */
        post: operations["postAdminV1SessionsLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to sign in with a passkey: what the browser needs
         * @description Give the answer to `navigator.credentials.get`. It works for five minutes, once.
         */
        post: operations["postAdminV1SessionsPasskeyOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a passkey
         * @description A passkey needs neither a name nor a second factor: the device asks for a PIN or a fingerprint.
         */
        post: operations["postAdminV1SessionsPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session/confirm/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a fresh sign-in with a passkey: what the browser needs
         * @description Give the answer to `navigator.credentials.get`. It works for five minutes, once.
         */
        post: operations["postAdminV1SessionConfirmOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove again who you are: for ten minutes, what asks for a fresh sign-in is allowed
         * @description Give either `password` (with `code` where the second factor is on) or `response`.
         */
        post: operations["postAdminV1SessionConfirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say who is signed in and what they may do
         * @description Answers for a personal token too; then `freshUntil` and `expires` are null.
         */
        get: operations["getAdminV1Session"];
        put?: never;
        post?: never;
        /**
         * Sign out
         * @description The session stops working at once.
         */
        delete: operations["deleteAdminV1Session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of your sessions
         * @description That browser has to sign in again.
         */
        delete: operations["deleteAdminV1SessionsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change your name or your password
         * @description An absent field stays as it is. A new password needs `currentPassword`, and ends your other sessions.
         */
        put: operations["putAdminV1Me"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Switch the second factor on with a code of the app; the answer alone has the recovery codes
         * @description Each recovery code works once, in place of a code of the app.
         */
        put: operations["putAdminV1MeTotp"];
        /**
         * Begin a second factor: a secret for an authenticator app
         * @description It counts once `PUT` has seen a code of the app.
         */
        post: operations["postAdminV1MeTotp"];
        /**
         * Switch the second factor off
         * @description The recovery codes end, too.
         */
        delete: operations["deleteAdminV1MeTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your passkeys
         * @description In the order in which they were added.
         */
        get: operations["getAdminV1MePasskeys"];
        put?: never;
        /**
         * Add the passkey that the browser made
         * @description At most twenty for each person.
         */
        post: operations["postAdminV1MePasskeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a passkey: what the browser needs to make one
         * @description Give the answer to `navigator.credentials.create`. It works for five minutes, once.
         */
        post: operations["postAdminV1MePasskeysOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete one of your passkeys
         * @description The device may still offer it; it signs nobody in any more.
         */
        delete: operations["deleteAdminV1MePasskeysById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your personal tokens
         * @description Without the tokens themselves.
         */
        get: operations["getAdminV1MeTokens"];
        put?: never;
        /**
         * Make a personal token; the answer alone has it
         * @description The token may do what its scopes name and its person may do. `confirmed` opens what asks others for a fresh sign-in. A personal token cannot make another one.
         */
        post: operations["postAdminV1MeTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/me/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete one of your personal tokens: it stops working at once
         * @description Programs that use it get 401.
         */
        delete: operations["deleteAdminV1MeTokensById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/admins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the people who may use the admin interface
         * @description In the order in which they were added. `next` is null on the last page.
         */
        get: operations["getAdminV1Admins"];
        put?: never;
        /**
         * Invite somebody; the answer alone has the one-time address for them
         * @description Send the address to that person: it works once, for 30 minutes. `POST …/reset` makes another one.
         */
        post: operations["postAdminV1Admins"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/admins/{id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change what somebody may do
         * @description Replaces all roles of the person, from their next call on.
         */
        put: operations["putAdminV1AdminsByIdRoles"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/admins/{id}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a one-time address with which somebody chooses a new password
         * @description The present password works until the address is used. Then sessions, passkeys, personal tokens and the second factor end.
         */
        post: operations["postAdminV1AdminsByIdReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/admins/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take all access away from somebody, at once
         * @description Sessions, passkeys and personal tokens of the person end.
         */
        delete: operations["deleteAdminV1AdminsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log, the newest first
         * @description Who did what, when and from where. Rows are kept for `audit.retentionDays`, and never changed.
         */
        get: operations["getAdminV1Audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a command of the command line, for appsvc with --url
         * @description For the program `appsvc` with `--url`; the form is its own and changes with its versions. The file of the form is a line of JSON (words of the command line, terminal, files, answers) and the bytes of the files behind it. The answer is NDJSON: what the command prints, line by line, and at the end its exit code or what it wants of the caller. Each command asks for a right of its own (docs/remote.md).
         */
        post: operations["postAdminV1Commands"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the apps that you have a role in
         * @description Apps in which you have no role are left out.
         */
        get: operations["getAdminV1Apps"];
        put?: never;
        /**
         * Create an app; the answer alone has its keys
         * @description An `Idempotency-Key` has no effect here, because a stored answer would hold the keys.
         */
        post: operations["postAdminV1Apps"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an app
         * @description Its name and when it was made.
         */
        get: operations["getAdminV1AppsByAppId"];
        put?: never;
        post?: never;
        /**
         * Delete an app with everything that belongs to it
         * @description Its keys end and nothing more is sent for it. Then its rows are deleted in small steps, which takes minutes for a large app; the answer comes at the end. If it breaks off, repeat it.
         */
        delete: operations["deleteAdminV1AppsByAppId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/link-days": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count clicks and matches by day, platform and route
         * @description The last `days` UTC days, today included; days without any are there. Of one link with `linkId`, else of all links of the app.
         */
        get: operations["getAdminV1AppsByAppIdLinkDays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/link-search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find a deep link by its address, slug or id
         * @description Of a part of an address it finds nothing. A slug made of digits comes before an id.
         */
        get: operations["getAdminV1AppsByAppIdLinkSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/deep-links/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tell where a deep link leads, and what chats show of it
         * @description `visits` says where people without the app come by device. The texts are in the language of `Accept-Language`, like the page.
         */
        get: operations["getAdminV1AppsByAppIdDeepLinksByIdPreview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/deep-links/{id}/page": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the jump page of a deep link, without counting a click
         * @description The page that visitors get, for a frame of the console.
         */
        get: operations["getAdminV1AppsByAppIdDeepLinksByIdPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/deep-links/{id}/qr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Draw the QR code of a deep link
         * @description Only the SVG has the icon of the app in its middle, if `logo` is true and the link settings have one.
         */
        get: operations["getAdminV1AppsByAppIdDeepLinksByIdQr"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/link-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the link host as Apple and Google do
         * @description Asks DNS, the certificate and the two association files; takes 16 seconds at most. `domain` is null while links are below an address that phones do not give to apps.
         */
        get: operations["getAdminV1AppsByAppIdLinkCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/banners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the banners in the order of their creation
         * @description An app has 100 at most.
         */
        get: operations["getAdminV1AppsByAppIdBanners"];
        put?: never;
        /**
         * Create a banner
         * @description Browsers that fetched the banners already fetch them again within an hour.
         */
        post: operations["postAdminV1AppsByAppIdBanners"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/banners/{uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a banner
         * @description With every default.
         */
        get: operations["getAdminV1AppsByAppIdBannersByUuid"];
        put?: never;
        post?: never;
        /**
         * Delete a banner
         * @description Its link stays.
         */
        delete: operations["deleteAdminV1AppsByAppIdBannersByUuid"];
        options?: never;
        head?: never;
        /**
         * Change a banner
         * @description An absent part stays as it is; a part that is given is replaced as a whole.
         */
        patch: operations["patchAdminV1AppsByAppIdBannersByUuid"];
        trace?: never;
    };
    "/admin/v1/apps/{appId}/prompts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the web prompts in the order of their creation
         * @description An app has 50 at most. Browsers show none without a web gateway.
         */
        get: operations["getAdminV1AppsByAppIdPrompts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/prompts/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a web prompt
         * @description With every default.
         */
        get: operations["getAdminV1AppsByAppIdPromptsByName"];
        put?: never;
        /**
         * Create a web prompt with this name
         * @description The body is the file of the prompt, which docs/gateways/web.md describes.
         */
        post: operations["postAdminV1AppsByAppIdPromptsByName"];
        /**
         * Delete a web prompt
         * @description Browsers that fetched it already show it for an hour at most.
         */
        delete: operations["deleteAdminV1AppsByAppIdPromptsByName"];
        options?: never;
        head?: never;
        /**
         * Change a web prompt
         * @description An absent part stays as it is, a part that is given is replaced as a whole, and null removes one.
         */
        patch: operations["patchAdminV1AppsByAppIdPromptsByName"];
        trace?: never;
    };
    "/admin/v1/apps/{appId}/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users with their installs, page by page, or search them
         * @description Returns known users, and anonymous users who are the current user of an install. A page past the end is empty. With `filter`, `channelUuid`, `segmentUuid`, `activeSince` or `after` it is a search: `currentPage` is absent, all that is given must hold, and the answer has `next` instead of a total. A search examines users for a limited time, so a page may hold fewer than `numberPerPage`, or none: the list ends where `next` is null. Without these keys, `currentPage` and `numberPerPage` are required.
         */
        get: operations["getAdminV1AppsByAppIdUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user with their attributes, installs and channels
         * @description Includes the channels that reach the user or one of their installs: the first 1000. Push tokens are never shown.
         */
        get: operations["getAdminV1AppsByAppIdUsersByUserId"];
        put?: never;
        post?: never;
        /**
         * Erase a user with everything that is stored about them
         * @description Deletes the user, their attributes, their installs with push tokens, and everything that is stored about them. Counts stay. It usually takes seconds; a page that is being sent to one of the installs is waited for. Nothing is sent to them once the state is `done`. An identifier that nobody has is erased as well, because a send may have named it. A device that goes on using the app gets a new anonymous user. The same request again, before it is done, returns the same erasure.
         */
        delete: operations["deleteAdminV1AppsByAppIdUsersByUserId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/users/{userId}/attributes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user's attributes
         * @description Returns an empty object for a user without attributes.
         */
        get: operations["getAdminV1AppsByAppIdUsersByUserIdAttributes"];
        /**
         * Replace a user's attributes; creates the user if there is none
         * @description The last write wins: it replaces what the app or another server wrote before, and is replaced by what they write later. Use the same identifier with which the app associates its users.
         */
        put: operations["putAdminV1AppsByAppIdUsersByUserIdAttributes"];
        post?: never;
        /**
         * Delete a user's attributes; the user stays
         * @description The user and their installs stay.
         */
        delete: operations["deleteAdminV1AppsByAppIdUsersByUserIdAttributes"];
        options?: never;
        head?: never;
        /**
         * Change some of a user's attributes; creates the user if there is none
         * @description A merge patch (RFC 7396): `null` deletes an attribute, an object is merged, anything else replaces; attributes that are not named stay. Returns all attributes afterwards.
         */
        patch: operations["patchAdminV1AppsByAppIdUsersByUserIdAttributes"];
        trace?: never;
    };
    "/admin/v1/apps/{appId}/installs/{installId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Erase an install with its push token and everything that it reported; its user stays
         * @description Deletes one install as `DELETE /v1/users/{userId}` deletes all of a user. Its anonymous user goes too, its known user stays.
         */
        delete: operations["deleteAdminV1AppsByAppIdInstallsByInstallId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/erasures/{erasureId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how far an erasure is
         * @description Erasures stay readable after they are done. A `state` that stays the same waits for a page that is being sent, or a file.
         */
        get: operations["getAdminV1AppsByAppIdErasuresByErasureId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/users/{userId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export everything that is stored about a user
         * @description NDJSON: each line is `{"table", "row"}`, a row of what an erasure would delete. Times are ISO 8601. Rows are read while they are sent, so what changes meanwhile may be there or not.
         */
        get: operations["getAdminV1AppsByAppIdUsersByUserIdExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/users/{userId}/choices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a user allows
         * @description Returns every purpose of the app, chosen or not.
         */
        get: operations["getAdminV1AppsByAppIdUsersByUserIdChoices"];
        /**
         * Store what a user chose; creates the user if there is none
         * @description Purposes that are not named stay as they are. `true` allows, `false` refuses, null goes back to the default of the purpose. Devices have a route of their own, `/v1/users/{userId}/purposes`.
         */
        put: operations["putAdminV1AppsByAppIdUsersByUserIdChoices"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/purposes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the purposes of the app
         * @description Returns them in the order of their creation. An app has at most 50.
         */
        get: operations["getAdminV1AppsByAppIdPurposes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/purposes/{uid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a purpose
         * @description Says what the purpose is, not who allows it.
         */
        get: operations["getAdminV1AppsByAppIdPurposesByUid"];
        /**
         * Create or replace a purpose
         * @description Sends that name the purpose skip users who do not allow it, whatever their target is. What users chose stays when a purpose is replaced. While a purpose is required, earlier refusals have no effect.
         */
        put: operations["putAdminV1AppsByAppIdPurposesByUid"];
        post?: never;
        /**
         * Delete a purpose and what users chose for it
         * @description What users chose is forgotten. A new purpose with the same uid begins with its default.
         */
        delete: operations["deleteAdminV1AppsByAppIdPurposesByUid"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the suppression list, page by page
         * @description Returns digests of identifiers, because nothing else is stored. Ask for an identifier by its own address.
         */
        get: operations["getAdminV1AppsByAppIdSuppressions"];
        put?: never;
        /**
         * Put users on the suppression list
         * @description Takes up to 1000 identifiers, of users who exist or not. They get nothing any more, transactional sends included. Those who are on the list already get the new reason.
         */
        post: operations["postAdminV1AppsByAppIdSuppressions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/suppressions/{identifier}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whether a user is on the suppression list
         * @description Answers 404 for an identifier that is not on the list.
         */
        get: operations["getAdminV1AppsByAppIdSuppressionsByIdentifier"];
        /**
         * Put a user on the suppression list
         * @description The user gets nothing any more, transactional sends included. There need not be such a user.
         */
        put: operations["putAdminV1AppsByAppIdSuppressionsByIdentifier"];
        post?: never;
        /**
         * Take a user off the suppression list
         * @description Later sends reach the user again.
         */
        delete: operations["deleteAdminV1AppsByAppIdSuppressionsByIdentifier"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/data/{tableAlias}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List records
         * @description Pages by number (`page`), or by cursor (`after`), which stays fast in large tables. A page past the end is empty.
         */
        get: operations["getAdminV1AppsByAppIdDataByTableAlias"];
        put?: never;
        /**
         * Create a record, or a list of records
         * @description Fields that the table does not have are refused. A list of at most 1000 records is stored as a whole or not at all. The answer has no body.
         */
        post: operations["postAdminV1AppsByAppIdDataByTableAlias"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/data/{tableAlias}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a record
         * @description Returns the record without a wrapper.
         */
        get: operations["getAdminV1AppsByAppIdDataByTableAliasById"];
        /**
         * Change a record
         * @description An absent field stays as it is; null clears it. The answer is the whole record.
         */
        put: operations["putAdminV1AppsByAppIdDataByTableAliasById"];
        /**
         * Create a record or a list of records; the `id` is ignored
         * @description The `id` of the path is ignored. Fields that the table does not have are refused. A list of at most 1000 records is stored as a whole or not at all. The answer has no body.
         */
        post: operations["postAdminV1AppsByAppIdDataByTableAliasById"];
        /**
         * Delete a record
         * @description Answers 201, for the programs that rely on it.
         */
        delete: operations["deleteAdminV1AppsByAppIdDataByTableAliasById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notifications, newest first: all, or those of a status or a time
         * @description Returns the newest notification first, however it was sent. `status` takes the name of a status or its number. All that is given must hold.
         */
        get: operations["getAdminV1AppsByAppIdNotifications"];
        put?: never;
        /**
         * Send a notification
         * @description The latest form. Name the target by one group only: everyone, installs and users, segments with channels and geofences. `excludeInstallIds` goes with any group. Nothing is stored if no member of the target can be reached: the answer is then 400.
         */
        post: operations["postAdminV1AppsByAppIdNotifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/notifications/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a notification: its recipients and the requests to gateways. Sends and stores nothing
         * @description Takes the body of the latest form and checks it as sending does. Whoever is in the audience now is counted, for at most a minute: then `isComplete` is false. Whether recipients are skipped by quiet hours or the frequency cap is decided when it is sent. The payloads have a placeholder for the id.
         */
        post: operations["postAdminV1AppsByAppIdNotificationsPreview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/notifications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a notification and the results of its recipients
         * @description Counts recipients by what became of them. The counts change until the notification is sent, and opens arrive later.
         */
        get: operations["getAdminV1AppsByAppIdNotificationsById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/notifications/{id}/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what became of each recipient of a notification, one a line
         * @description NDJSON: each line is `{"installId", "userId", "outcome", "kind", "reason"}`. `outcome` is one of the counts of the report. `kind` is the kind of a failure, `reason` why it is so: the word of the vendor where there is one; both may be null. `userId` is the user of the install now. Both ids are null once the install is gone. While the notification is being sent, recipients that are not reached yet are missing, and one that is tried again meanwhile may come twice: the later line counts.
         */
        get: operations["getAdminV1AppsByAppIdNotificationsByIdRecipients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/notifications/{id}/install-opens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the installs that opened a notification
         * @description Lists each install once, with its first open.
         */
        get: operations["getAdminV1AppsByAppIdNotificationsByIdInstallOpens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/notifications/{id}/user-opens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users who opened a notification
         * @description Lists each user once, with their first open on any device.
         */
        get: operations["getAdminV1AppsByAppIdNotificationsByIdUserOpens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/scheduled-notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List scheduled notifications that are still due, the next one first
         * @description Returns notifications that are still due somewhere.
         */
        get: operations["getAdminV1AppsByAppIdScheduledNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/scheduled-notifications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Cancel a scheduled notification
         * @description Waits for requests to gateways that are under way. After the answer nothing more is sent; what was sent before stays sent.
         */
        delete: operations["deleteAdminV1AppsByAppIdScheduledNotificationsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/in-app-messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List in-app messages, newest first
         * @description Returns the newest message first.
         */
        get: operations["getAdminV1AppsByAppIdInAppMessages"];
        put?: never;
        /**
         * Send an in-app message
         * @description Users who agreed to in-app messages get it, each once. The target follows the rules of notifications. `ttl` is required unless `presentedWhen` is `never`. Nothing is stored if no member of the target can get it: the answer is then 400.
         */
        post: operations["postAdminV1AppsByAppIdInAppMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/in-app-messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an in-app message and its counts
         * @description Counts users by what their devices reported.
         */
        get: operations["getAdminV1AppsByAppIdInAppMessagesById"];
        put?: never;
        post?: never;
        /**
         * Withdraw an in-app message, also from devices that have it
         * @description Its linked push is cancelled, too. The record and its counts stay.
         */
        delete: operations["deleteAdminV1AppsByAppIdInAppMessagesById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/gateways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the configured push gateways
         * @description Returns one entry for each configured gateway, without credentials.
         */
        get: operations["getAdminV1AppsByAppIdGateways"];
        /**
         * Configure push gateways
         * @description Each block replaces the configuration of its platform; platforms without a block stay as they are. Credentials are checked before they are stored, and never shown again.
         */
        put: operations["putAdminV1AppsByAppIdGateways"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/gateways/{platform}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove the configuration of one push gateway
         * @description The credential is deleted, and nothing more is sent through this gateway. Recipients who still wait for it end as failed with the reason `no_gateway`, also those of a lane that was held. `platform` is the name of a block (`ios`) or its `platformType` (1).
         */
        delete: operations["deleteAdminV1AppsByAppIdGatewaysByPlatform"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List channels in the order of their creation
         * @description Returns public and private channels in the order of their creation.
         */
        get: operations["getAdminV1AppsByAppIdChannels"];
        put?: never;
        /**
         * Create a channel
         * @description A channel with a name is public and shown to every install. One without is private and shown to its subscribers only.
         */
        post: operations["postAdminV1AppsByAppIdChannels"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a channel
         * @description Also returns private channels.
         */
        get: operations["getAdminV1AppsByAppIdChannelsById"];
        /**
         * Change a channel
         * @description An absent field stays as it is; null clears `name` and `meta`.
         */
        put: operations["putAdminV1AppsByAppIdChannelsById"];
        post?: never;
        /**
         * Delete a channel with its subscriptions
         * @description Its subscriptions are deleted with it. Notifications already sent stay.
         */
        delete: operations["deleteAdminV1AppsByAppIdChannelsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/channels/{uuid}/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the subscriptions to a channel: users first, then installs
         * @description First the users, then the installs that are subscribed themselves or opted out, each in the order of their creation. Who joins or leaves meanwhile may be missing or listed.
         */
        get: operations["getAdminV1AppsByAppIdChannelsByUuidSubscriptions"];
        put?: never;
        /**
         * Subscribe installs or users
         * @description Unknown ids do not stop the others: they are returned with status 200. With 204 all ids were applied.
         */
        post: operations["postAdminV1AppsByAppIdChannelsByUuidSubscriptions"];
        /**
         * Unsubscribe installs or users
         * @description Unknown ids do not stop the others: they are returned with status 200. With 204 all ids were applied. The subscriptions that the installs of these users have of their own end too, unless `keepInstalls` is true.
         */
        delete: operations["deleteAdminV1AppsByAppIdChannelsByUuidSubscriptions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/channels/{uuid}/subscribers-file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Subscribe the users in a CSV file
         * @description The file is UTF-8 text named `*.csv` with the type `text/csv` (`application/csv`, `application/vnd.ms-excel`, `application/octet-stream` and no type are taken too): one user identifier a line, no header. It is applied in the background.
         */
        post: operations["postAdminV1AppsByAppIdChannelsByUuidSubscribersFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/channels/{uuid}/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the subscriber files of a channel, newest first
         * @description Returns the newest file first.
         */
        get: operations["getAdminV1AppsByAppIdChannelsByUuidImports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/channels/{uuid}/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the progress of a subscriber file
         * @description Includes the first lines whose user does not exist.
         */
        get: operations["getAdminV1AppsByAppIdChannelsByUuidImportsById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/segments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List segments in the order of their creation
         * @description Returns segments in the order of their creation.
         */
        get: operations["getAdminV1AppsByAppIdSegments"];
        put?: never;
        /**
         * Create a segment
         * @description The filter is evaluated each time the segment is used. `docs/segments.md` lists its fields and operators.
         */
        post: operations["postAdminV1AppsByAppIdSegments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/segments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a segment by its id or uuid
         * @description The path takes the `id` or the `uuid` of the segment.
         */
        get: operations["getAdminV1AppsByAppIdSegmentsById"];
        /**
         * Change a segment
         * @description An absent field stays as it is. Notifications that are due later use the new filter.
         */
        put: operations["putAdminV1AppsByAppIdSegmentsById"];
        post?: never;
        /**
         * Delete a segment
         * @description Refused while a notification that is not sent yet targets it.
         */
        delete: operations["deleteAdminV1AppsByAppIdSegmentsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/segments/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the subscribed installs that match now, and show the first of them
         * @description Evaluates the filter now. Sends nothing.
         */
        get: operations["getAdminV1AppsByAppIdSegmentsByIdPreview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List templates in the order of their creation
         * @description Returns templates in the order of their creation, without their documents.
         */
        get: operations["getAdminV1AppsByAppIdTemplates"];
        put?: never;
        /**
         * Create a template from a document or a starter
         * @description Give the `content` of the template, or a `starter` to begin with. `docs/templates.md` describes the document.
         */
        post: operations["postAdminV1AppsByAppIdTemplates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/templates/{uid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a template with its newest version
         * @description Returns the document as it was given, with its tags.
         */
        get: operations["getAdminV1AppsByAppIdTemplatesByUid"];
        /**
         * Change a template
         * @description An absent field stays as it is. A new `content`, `tags` or `sample` makes a new version; earlier ones never change.
         */
        put: operations["putAdminV1AppsByAppIdTemplatesByUid"];
        post?: never;
        /**
         * Delete a template with all its versions
         * @description All its versions are deleted. Messages made from it stay as they are.
         */
        delete: operations["deleteAdminV1AppsByAppIdTemplatesByUid"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/templates/{uid}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a template
         * @description Returns versions in ascending order, without their documents.
         */
        get: operations["getAdminV1AppsByAppIdTemplatesByUidVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/templates/{uid}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a version of a template
         * @description Returns the document of that version.
         */
        get: operations["getAdminV1AppsByAppIdTemplatesByUidVersionsByVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/templates/{uid}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Render a template without sending anything
         * @description Uses the `sample` of the template for tags without a value. Stores and sends nothing.
         */
        post: operations["postAdminV1AppsByAppIdTemplatesByUidPreview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/template-starters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the templates that come with the program
         * @description Name one of them as `starter` when you create a template.
         */
        get: operations["getAdminV1AppsByAppIdTemplateStarters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/geofences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List geofences in the order of their creation
         * @description Returns geofences in the order of their creation.
         */
        get: operations["getAdminV1AppsByAppIdGeofences"];
        put?: never;
        /**
         * Create a geofence: a circle or a polygon
         * @description A Point with `properties.radius` is a circle; a Polygon has `properties.orderAdded`.
         */
        post: operations["postAdminV1AppsByAppIdGeofences"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/geofences/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a geofence
         * @description Includes how often it was entered and how many users are inside.
         */
        get: operations["getAdminV1AppsByAppIdGeofencesById"];
        /**
         * Change a geofence
         * @description An absent field stays as it is. New bounds decide who is inside from the next reported position on.
         */
        put: operations["putAdminV1AppsByAppIdGeofencesById"];
        post?: never;
        /**
         * Delete a geofence
         * @description Its counts are deleted with it.
         */
        delete: operations["deleteAdminV1AppsByAppIdGeofencesById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/deep-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deep links in the order of their creation
         * @description Returns deep links in the order of their creation, with their counts.
         */
        get: operations["getAdminV1AppsByAppIdDeepLinks"];
        put?: never;
        /**
         * Create deep links
         * @description At most 500 at once. All of them are created or none. The answer has one item for each, in the same order.
         */
        post: operations["postAdminV1AppsByAppIdDeepLinks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/deep-links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a deep link and its counts
         * @description `clicks` counts people who followed it, `lookups` matches in the app.
         */
        get: operations["getAdminV1AppsByAppIdDeepLinksById"];
        put?: never;
        post?: never;
        /**
         * Delete a deep link
         * @description Its address answers 404, and its slug is free. Refused while a banner leads to it. Events about it stay.
         */
        delete: operations["deleteAdminV1AppsByAppIdDeepLinksById"];
        options?: never;
        head?: never;
        /**
         * Change a deep link, or switch it off
         * @description An absent field stays as it is; null clears `content`, `reportingMeta`, `expiresAt` and `lookupLimit`. `isEnabled: false` switches the link off: visitors and SDKs are answered 404 until it is switched on again. The slug cannot be changed, because the address may be printed. Visitors see a change within a second.
         */
        patch: operations["patchAdminV1AppsByAppIdDeepLinksById"];
        trace?: never;
    };
    "/admin/v1/apps/{appId}/link-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the link settings
         * @description Settings that were never made are null or empty.
         */
        get: operations["getAdminV1AppsByAppIdLinkSettings"];
        /**
         * Change the link settings
         * @description An absent field stays as it is; null or an empty list clears it. The association files that Apple and Google read follow at once.
         */
        put: operations["putAdminV1AppsByAppIdLinkSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/restraint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read quiet hours, frequency cap and the other rules of the app
         * @description A rule that is switched off is null.
         */
        get: operations["getAdminV1AppsByAppIdRestraint"];
        /**
         * Set quiet hours, frequency cap and the other rules of the app
         * @description An absent field stays as it is; null switches a rule off. The rules apply to sends from then on.
         */
        put: operations["putAdminV1AppsByAppIdRestraint"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks in the order of their creation
         * @description Returns all webhooks of the app.
         */
        get: operations["getAdminV1AppsByAppIdWebhooks"];
        put?: never;
        /**
         * Create a webhook; the answer alone has its secret
         * @description The endpoint gets the events that are stored from now on. Messages follow Standard Webhooks. The address must be https, on port 443 and public, unless the operator allows others (`outbound.allowPrivate`). An `Idempotency-Key` has no effect here, because a stored answer would hold the secret.
         */
        post: operations["postAdminV1AppsByAppIdWebhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description Says whether it works, and since when it waits.
         */
        get: operations["getAdminV1AppsByAppIdWebhooksById"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook; what it has not got is not sent
         * @description A request that is under way may still arrive.
         */
        delete: operations["deleteAdminV1AppsByAppIdWebhooksById"];
        options?: never;
        head?: never;
        /**
         * Change a webhook, switch it on or off
         * @description An absent field stays as it is. Switched on again, it goes on with the first event that it has not got, as far as the log still has it. A message that is being retried keeps its events.
         */
        patch: operations["patchAdminV1AppsByAppIdWebhooksById"];
        trace?: never;
    };
    "/admin/v1/apps/{appId}/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new secret; the answer alone has it
         * @description For `overlapSeconds` each message carries two signatures, one of each secret.
         */
        post: operations["postAdminV1AppsByAppIdWebhooksByIdRotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send events of the past once more, beside those that happen
         * @description Each edge is a time (of `receivedAt`) or the id of an event: sent is what came at or behind `from`, before or up to `to`. Messages have `"replay": true` and ids of their own. One replay at a time.
         */
        post: operations["postAdminV1AppsByAppIdWebhooksByIdReplay"];
        /**
         * End a replay
         * @description Nothing more of it is sent.
         */
        delete: operations["deleteAdminV1AppsByAppIdWebhooksByIdReplay"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/webhooks/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the requests of the last seven days, the newest first
         * @description At most a thousand are kept of each webhook. `next` is null on the last page.
         */
        get: operations["getAdminV1AppsByAppIdWebhooksByIdAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read events in the order in which they were stored
         * @description The events of devices, of servers and of this server, each once, in the order in which they were committed. Keep `next` and send it as `after` of the next call. It moves on also when no event was found. With `wait` the call waits for an event; it may answer earlier, without one. With `Accept: application/x-ndjson` the answer is one event a line, and `next` is in the header `Next-After`. Without `after` it begins with the oldest event that is kept.
         */
        get: operations["getAdminV1AppsByAppIdEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/events/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what enters the event log besides events
         * @description Without a setting, only events enter the log.
         */
        get: operations["getAdminV1AppsByAppIdEventsSettings"];
        /**
         * Say what enters the event log besides events
         * @description With `deliveries` each page of a notification enters the log as it closes, for readers that ask with `include=deliveries`. A webhook that includes deliveries has the same effect.
         */
        put: operations["putAdminV1AppsByAppIdEventsSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the metrics of the app
         * @description Returns them in the order of their names.
         */
        get: operations["getAdminV1AppsByAppIdMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/apps/{appId}/metrics/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a metric
         * @description Says what the metric counts, and since when.
         */
        get: operations["getAdminV1AppsByAppIdMetricsByName"];
        /**
         * Create or replace a metric
         * @description A new metric counts the events that are stored from now on, for each user and day (UTC). With another definition it begins anew; with the same it stays as it is. Segments use it as the field `metrics.NAME`.
         */
        put: operations["putAdminV1AppsByAppIdMetricsByName"];
        post?: never;
        /**
         * Delete a metric and what it counted
         * @description What it counted is deleted, too.
         */
        delete: operations["deleteAdminV1AppsByAppIdMetricsByName"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * UserPage
         * @description One page of users.
         */
        UserPage: {
            /** @description The users of this page. */
            users: components["schemas"]["User"][];
            /**
             * @description Number of users on all pages.
             * @example 1204
             */
            totalUsers: number;
            /**
             * @description Number of the page, from 1.
             * @example 1
             */
            currentPage: number;
        };
        /**
         * User
         * @description A person who uses the app, or the anonymous stand-in for one.
         */
        User: {
            /**
             * @description Unique identifier of the user, chosen by the app or a server.
             * @example user-17
             */
            identifier: string;
            /**
             * @description Free-form attributes of the user.
             * @example {
             *       "plan": "gold",
             *       "visits": 12
             *     }
             */
            attributes: {
                [key: string]: unknown;
            };
            /**
             * @description When the user was first active. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-01-05T08:15:00+0000
             */
            firstActive: string;
            /**
             * @description Time of the last activity. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T11:58:00+0000
             */
            lastActive: string;
            /**
             * @description Whether the user agreed to in-app messages. Only a device reports this.
             * @example true
             */
            inAppEnabled: boolean;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
            /** @description The installs whose current user this is. */
            installs: components["schemas"]["Install"][];
        };
        /**
         * Install
         * @description One copy of the app on one device. A field is null if the device never reported it.
         */
        Install: {
            /**
             * @description Unique id of the install, chosen by its SDK.
             * @example 7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10
             */
            id: string;
            /**
             * @description Whether the install has a push token and may show notifications.
             * @example true
             */
            subscribedToPushNotifications: boolean;
            /**
             * @description Operating system.
             * @example iOS
             */
            os: string | null;
            /**
             * @description Version of the operating system.
             * @example 18.3
             */
            osVersion: string | null;
            /**
             * @description Kind of SDK in the app.
             * @example ios
             */
            sdkType: string | null;
            /**
             * @description Version of the SDK.
             * @example 10.2.0
             */
            sdkVersion: string | null;
            /**
             * @description Time of the last activity. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T11:58:00+0000
             */
            lastActive: string;
            /**
             * @description Version of the app.
             * @example 4.12.0
             */
            appVersion: string | null;
            /**
             * @description ISO 3166-1 code of the country.
             * @example DE
             */
            countryIsoCode: string | null;
            /**
             * @description IANA time zone.
             * @example Europe/Berlin
             */
            timezone: string | null;
            /**
             * @description Locale of the device.
             * @example de_DE
             */
            locale: string | null;
            /**
             * @description Model as the device reports it.
             * @example iPhone17,1
             */
            deviceModel: string | null;
            /**
             * @description Model as people call it.
             * @example iPhone 16 Pro
             */
            deviceName: string | null;
            /**
             * @description How the app was built. Only with `include=device`.
             * @example release
             * @enum {string|null}
             */
            buildKind?: "debug" | "release" | null;
            /**
             * @description Whether the device is a simulator or an emulator. Only with `include=device`.
             * @example false
             */
            simulator?: boolean | null;
            /**
             * @description Whether iOS lets time-sensitive notifications of the app interrupt a Focus. Only with `include=device`.
             * @example true
             */
            timeSensitive?: boolean | null;
        };
        /**
         * FoundUsers
         * @description What a search found.
         */
        FoundUsers: {
            /** @description The users of this page. */
            users: components["schemas"]["User"][];
            /**
             * @description `after` of the next page; null when all users were examined.
             * @example 1042
             */
            next: number | null;
        };
        /**
         * UserRecord
         * @description A user with the channels that reach them.
         */
        UserRecord: {
            /**
             * @description Unique identifier of the user, chosen by the app or a server.
             * @example user-17
             */
            identifier: string;
            /**
             * @description Free-form attributes of the user.
             * @example {
             *       "plan": "gold",
             *       "visits": 12
             *     }
             */
            attributes: {
                [key: string]: unknown;
            };
            /**
             * @description When the user was first active. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-01-05T08:15:00+0000
             */
            firstActive: string;
            /**
             * @description Time of the last activity. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T11:58:00+0000
             */
            lastActive: string;
            /**
             * @description Whether the user agreed to in-app messages. Only a device reports this.
             * @example true
             */
            inAppEnabled: boolean;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
            /** @description The installs whose current user this is. */
            installs: components["schemas"]["Install"][];
            /**
             * @description Whether the app or a server named the user; false for an anonymous one.
             * @example true
             */
            known: boolean;
            /** @description The channels that reach the user, in the order of their creation. */
            channels: components["schemas"]["UserChannel"][];
        };
        /**
         * UserChannel
         * @description A channel that reaches a user.
         */
        UserChannel: {
            /**
             * @description Identifier of the channel.
             * @example news
             */
            uuid: string;
            /**
             * @description Name of the channel; null for a private one.
             * @example News
             */
            name: string | null;
            /**
             * @description Whether the user is subscribed, and with that all of their installs.
             * @example true
             */
            subscribed: boolean;
            /**
             * @description Installs that are subscribed themselves.
             * @example []
             */
            installIds: string[];
            /**
             * @description Installs that opted out.
             * @example []
             */
            optedOutInstallIds: string[];
        };
        /**
         * Attributes
         * @description What a server or the app knows about a user.
         */
        Attributes: {
            [key: string]: unknown;
        };
        /**
         * UserAttributes
         * @description The attributes as they were stored.
         */
        UserAttributes: {
            /**
             * @description Unique identifier of the user, chosen by the app or a server.
             * @example user-17
             */
            identifier: string;
            /**
             * @description Free-form attributes of the user.
             * @example {
             *       "plan": "gold",
             *       "visits": 12
             *     }
             */
            attributes: {
                [key: string]: unknown;
            };
        };
        /**
         * AttributesPatch
         * @description Attributes to change; null deletes one.
         */
        AttributesPatch: {
            [key: string]: unknown;
        };
        /**
         * Erasure
         * @description The erasure of a user or an install, and how far it is. It does not say whose it is.
         */
        Erasure: {
            /**
             * @description Unique id of the erasure.
             * @example 019a1f0e-7c1b-7d2a-9a55-3f1f5a1c2b3d
             */
            id: string;
            /**
             * @description What is erased: a user with all installs, or one install.
             * @example user
             * @enum {string}
             */
            kind: "user" | "install";
            /**
             * @description requested: it has not begun. erasing: rows are being deleted. searching: the rows are gone, and sends and stored answers are searched for the names. cleaning: the files of the database are being cleaned. done: nothing is left.
             * @example done
             * @enum {string}
             */
            state: "requested" | "erasing" | "searching" | "cleaning" | "done";
            /**
             * @description Whether there was such a user or install; null until somebody looked.
             * @example true
             */
            found: boolean | null;
            /**
             * @description When it was asked for. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T14:00:00+0000
             */
            requestedAt: string;
            /**
             * @description When it was done; null before. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T14:00:04+0000
             */
            doneAt: string | null;
        };
        /**
         * Purposes
         * @description The purposes of an app.
         */
        Purposes: {
            /** @description The purposes. */
            purposes: components["schemas"]["Purpose"][];
        };
        /**
         * Purpose
         * @description Something that people allow or refuse, such as news or offers.
         */
        Purpose: {
            /**
             * @description Unique id of the purpose, chosen by the caller.
             * @example news
             */
            uid: string;
            /**
             * @description What people read.
             * @example News
             */
            name: string;
            /**
             * @description What it is about, for people.
             * @example What is new in the app, once a week
             */
            description: string | null;
            /**
             * @description Whether users who chose nothing allow it.
             * @example true
             */
            default: boolean;
            /**
             * @description Whether nobody can refuse it.
             * @example false
             */
            required: boolean;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
        };
        /**
         * PurposeRequest
         * @description A purpose.
         */
        PurposeRequest: {
            /**
             * @description What people read.
             * @example News
             */
            name: string;
            /**
             * @description What it is about, for people.
             * @example What is new in the app, once a week
             */
            description?: string | null;
            /**
             * @description Whether users who chose nothing allow it.
             * @example true
             */
            default: boolean;
            /**
             * @description Whether nobody can refuse it.
             * @example false
             */
            required?: boolean | null;
        };
        /**
         * ChosenPurposes
         * @description Every purpose of the app for one user.
         */
        ChosenPurposes: {
            /** @description The purposes. */
            purposes: components["schemas"]["ChosenPurpose"][];
        };
        /**
         * ChosenPurpose
         * @description A purpose, and what a user chose for it.
         */
        ChosenPurpose: {
            /**
             * @description Unique id of the purpose.
             * @example news
             */
            uid: string;
            /**
             * @description What people read.
             * @example News
             */
            name: string;
            /**
             * @description What it is about, for people.
             * @example What is new in the app, once a week
             */
            description: string | null;
            /**
             * @description Whether nobody can refuse it.
             * @example false
             */
            required: boolean;
            /**
             * @description Whether the user allows it now.
             * @example true
             */
            allowed: boolean;
            /** @description What the user chose; null while the default decides. */
            choice: components["schemas"]["Choice"] | null;
        };
        /**
         * Choice
         * @description What the user chose.
         */
        Choice: {
            /**
             * @description What the user chose.
             * @example false
             */
            allowed: boolean;
            /**
             * @description When it was chosen. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            at: string;
            /**
             * @description Where it was chosen.
             * @example device
             * @enum {string}
             */
            source: "device" | "page" | "server";
        };
        /**
         * Choices
         * @description Choices by uid of the purpose.
         */
        Choices: {
            [key: string]: boolean | null;
        };
        /**
         * ListedSuppressionPage
         * @description One page of the suppression list.
         */
        ListedSuppressionPage: {
            /** @description The entries of this page. */
            suppressions: components["schemas"]["ListedSuppression"][];
            /**
             * @description The `after` of the next page. Null on the last page.
             * @example 51
             */
            next: number | null;
        };
        /**
         * ListedSuppression
         * @description An entry of the suppression list. It does not say whom it means.
         */
        ListedSuppression: {
            /**
             * @description Number of the entry.
             * @example 12
             */
            id: number;
            /**
             * @description HMAC of the identifier.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            digest: string;
            /**
             * @description Why, in words of the caller.
             * @example asked by letter
             */
            reason: string | null;
            /**
             * @description When the user was put on the list. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            at: string;
        };
        /**
         * SuppressionsRequest
         * @description Users to put on the suppression list.
         */
        SuppressionsRequest: {
            /**
             * @description Identifiers of users.
             * @example [
             *       "user-17",
             *       "user-18"
             *     ]
             */
            userIds: (string | number)[];
            /**
             * @description Why, in words of the caller.
             * @example asked by letter
             */
            reason?: string | null;
        };
        /**
         * SuppressionsAdded
         * @description How many users were put on the list.
         */
        SuppressionsAdded: {
            /**
             * @description How many were not on the list before.
             * @example 2
             */
            added: number;
            /**
             * @description How many were on the list already.
             * @example 0
             */
            known: number;
        };
        /**
         * Suppression
         * @description An entry of the suppression list.
         */
        Suppression: {
            /**
             * @description The identifier that was asked for.
             * @example user-17
             */
            identifier: string;
            /**
             * @description Why, in words of the caller.
             * @example asked by letter
             */
            reason: string | null;
            /**
             * @description When the user was put on the list. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            at: string;
        };
        /**
         * SuppressionRequest
         * @description An entry of the suppression list.
         */
        SuppressionRequest: {
            /**
             * @description Why, in words of the caller.
             * @example asked by letter
             */
            reason?: string | null;
        };
        /**
         * Record
         * @description A record: its id, the columns of its table, and its two times.
         */
        Record: {
            /**
             * @description Number of the record.
             * @example 17
             */
            id: number;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * NewDeepLinks
         * @description Deep links to create.
         */
        NewDeepLinks: {
            /**
             * @description Path of the short link, unique in the app: letters, digits and `-_.~`, with `/` between segments. Generated when omitted.
             * @example spring-sale
             */
            slug?: string | null;
            /**
             * @description Returned to the app when the link is matched.
             * @example {
             *       "screen": "offer",
             *       "id": 7
             *     }
             */
            linkData: {
                [key: string]: unknown;
            };
            /** @description What the jump page shows. */
            content?: {
                /**
                 * @description Title of the jump page.
                 * @example Spring sale
                 */
                title?: string | null;
                /**
                 * @description Text of the jump page.
                 * @example All shoes half price
                 */
                description?: string | null;
            } | null;
            /**
             * Format: uri
             * @description Where a browser on a desktop is sent. An absolute http or https URL.
             * @example https://example.com/offers/7
             */
            desktopWebFallbackUrl: string;
            /**
             * Format: uri
             * @description Where a browser on a phone without the app is sent. An absolute http or https URL.
             * @example https://m.example.com/offers/7
             */
            mobileWebFallbackUrl: string;
            /**
             * @description Copied into the `data` of the events that this causes.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            reportingMeta?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When it expires, ISO 8601; UTC unless it has an offset.
             * @example 2026-12-31T23:59:59Z
             */
            expiresAt?: string | null;
            /**
             * @description Maximum number of matches. Without it, any number.
             * @example 100
             */
            lookupLimit?: number | null;
            /**
             * @description False for a link that is to be switched on later.
             * @example true
             */
            isEnabled?: boolean | null;
        }[];
        /**
         * CreatedDeepLink
         * @description A deep link that was created.
         */
        CreatedDeepLink: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * Format: iri-reference
             * @description The short link.
             * @example https://go.example.com/spring-sale
             */
            url: string;
        };
        /**
         * DeepLinkPage
         * @description One page of deep links.
         */
        DeepLinkPage: {
            /** @description The deep links of this page. */
            deepLinks: components["schemas"]["DeepLink"][];
            /**
             * @description The `after` of the next page. Null on the last page.
             * @example 51
             */
            next: number | null;
        };
        /**
         * DeepLink
         * @description A deep link with its counts.
         */
        DeepLink: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * Format: iri-reference
             * @description The short link.
             * @example https://go.example.com/spring-sale
             */
            url: string;
            /**
             * @description Path of the short link, unique in the app: letters, digits and `-_.~`, with `/` between segments. Generated when omitted.
             * @example spring-sale
             */
            slug: string;
            /**
             * @description `active`, `expired`, or `over limit` once `lookupLimit` is reached.
             * @example active
             * @enum {string}
             */
            state: "active" | "expired" | "over limit" | "disabled";
            /**
             * @description Returned to the app when the link is matched.
             * @example {
             *       "screen": "offer",
             *       "id": 7
             *     }
             */
            linkData: {
                [key: string]: unknown;
            };
            /** @description What the jump page shows. */
            content: components["schemas"]["DeepLinkContent"];
            /**
             * Format: iri-reference
             * @description Where a browser on a desktop is sent.
             * @example https://example.com/offers/7
             */
            desktopWebFallbackUrl: string;
            /**
             * Format: iri-reference
             * @description Where a browser on a phone without the app is sent.
             * @example https://m.example.com/offers/7
             */
            mobileWebFallbackUrl: string;
            /**
             * @description Copied into the `data` of the events that this causes.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            reportingMeta: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When it expires; null if never. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            expiresAt: string | null;
            /**
             * @description Maximum number of matches. Without it, any number.
             * @example 100
             */
            lookupLimit: number | null;
            /**
             * @description False for a link that is switched off; absent otherwise.
             * @example false
             * @constant
             */
            isEnabled?: false;
            /**
             * @description Matches so far.
             * @example 12
             */
            lookups: number;
            /**
             * @description People who followed it so far.
             * @example 40
             */
            clicks: number;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
        };
        /**
         * DeepLinkContent
         * @description What the jump page shows.
         */
        DeepLinkContent: {
            /**
             * @description Title of the jump page.
             * @example Spring sale
             */
            title?: string;
            /**
             * @description Text of the jump page.
             * @example All shoes half price
             */
            description?: string;
        };
        /**
         * DeepLinkChange
         * @description What changes about a deep link.
         */
        DeepLinkChange: {
            /**
             * @description Path of the short link, unique in the app: letters, digits and `-_.~`, with `/` between segments. Generated when omitted.
             * @example spring-sale
             */
            slug?: string | null;
            /**
             * @description Returned to the app when the link is matched.
             * @example {
             *       "screen": "offer",
             *       "id": 7
             *     }
             */
            linkData?: {
                [key: string]: unknown;
            } | null;
            /** @description What it says. */
            content?: {
                /**
                 * @description Title of the jump page.
                 * @example Spring sale
                 */
                title?: string | null;
                /**
                 * @description Text of the jump page.
                 * @example All shoes half price
                 */
                description?: string | null;
            } | null;
            /**
             * Format: uri
             * @description Where a browser on a desktop is sent. An absolute http or https URL.
             * @example https://example.com/offers/7
             */
            desktopWebFallbackUrl?: string | null;
            /**
             * Format: uri
             * @description Where a browser on a phone without the app is sent. An absolute http or https URL.
             * @example https://m.example.com/offers/7
             */
            mobileWebFallbackUrl?: string | null;
            /**
             * @description Copied into the `data` of the events that this causes.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            reportingMeta?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When it is no longer worth delivering.
             * @example 2026-03-02T12:00:00+0000
             */
            expiresAt?: string | null;
            /**
             * @description Maximum number of matches. Without it, any number.
             * @example 100
             */
            lookupLimit?: number | null;
            /**
             * @description False switches the link off, true on again.
             * @example false
             */
            isEnabled?: boolean | null;
        };
        /**
         * LinkSettings
         * @description How the links of an app are reached and which apps they open.
         */
        LinkSettings: {
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number;
            /**
             * Format: iri-reference
             * @description What every short link of the app begins with.
             * @example https://go.example.com
             */
            links: string;
            /**
             * @description Label of the link host below `links.domain`; chosen by the service.
             * @example a1b2c3
             */
            subdomain: string;
            /**
             * @description The own host name of the links of the app.
             * @example go.example.com
             */
            domain: string | null;
            /**
             * @description Apple team id.
             * @example A1B2C3D4E5
             */
            iosTeamId: string | null;
            /**
             * @description Bundle ids of the iOS apps that open the links.
             * @example [
             *       "com.example.app"
             *     ]
             */
            iosBundleIds: string[];
            /**
             * @description Package of the Android app that opens the links.
             * @example com.example.app
             */
            androidPackage: string | null;
            /**
             * @description SHA-256 fingerprints of its signing certificates.
             * @example [
             *       "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"
             *     ]
             */
            androidSha256: string[];
            /**
             * Format: iri-reference
             * @description Address in the App Store.
             * @example https://apps.apple.com/app/id1234567890
             */
            appStoreUrl: string | null;
            /**
             * Format: iri-reference
             * @description Address in the Play Store.
             * @example https://play.google.com/store/apps/details?id=com.example.app
             */
            playStoreUrl: string | null;
            /**
             * @description Seconds during which a tap waits for the first start of the app; 0 switches recognition off.
             * @example 3600
             */
            fingerprintWindow: number;
            /**
             * @description Whether the button of the jump page copies the link for the first start of the app.
             * @example false
             */
            offersClipboard: boolean;
            /**
             * @description The icon of the app on the jump page: a PNG, JPEG or WebP as a data URL.
             * @example data:image/png;base64,iVBORw0KGgo=
             */
            icon: string | null;
        };
        /**
         * LinkSettingsChange
         * @description What changes about the link settings.
         */
        LinkSettingsChange: {
            /**
             * @description The own host name of the links of the app.
             * @example go.example.com
             */
            domain?: string | null;
            /**
             * @description Apple team id.
             * @example A1B2C3D4E5
             */
            iosTeamId?: string | null;
            /**
             * @description Bundle ids of the iOS apps that open the links.
             * @example [
             *       "com.example.app"
             *     ]
             */
            iosBundleIds?: string[] | null;
            /**
             * @description Package of the Android app that opens the links.
             * @example com.example.app
             */
            androidPackage?: string | null;
            /**
             * @description SHA-256 fingerprints of its signing certificates.
             * @example [
             *       "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"
             *     ]
             */
            androidSha256?: string[] | null;
            /**
             * @description Address in the App Store.
             * @example https://apps.apple.com/app/id1234567890
             */
            appStoreUrl?: string | null;
            /**
             * @description Address in the Play Store.
             * @example https://play.google.com/store/apps/details?id=com.example.app
             */
            playStoreUrl?: string | null;
            /**
             * @description Seconds during which a tap waits for the first start of the app; 0 switches recognition off.
             * @example 3600
             */
            fingerprintWindow?: number | null;
            /**
             * @description Whether the button of the jump page copies the link for the first start of the app.
             * @example false
             */
            offersClipboard?: boolean | null;
            /**
             * @description The icon of the app on the jump page: a PNG, JPEG or WebP as a data URL.
             * @example data:image/png;base64,iVBORw0KGgo=
             */
            icon?: string | null;
        };
        /**
         * BannerTrigger
         * @description The event of the page that shows the banner.
         */
        BannerTrigger: {
            /**
             * @description Type of the event.
             * @example k.pageViewed
             */
            event: string;
            /**
             * @description Delay in seconds.
             * @example 5
             */
            afterSeconds?: number;
            /**
             * @description Conditions on the event: property, operator, value.
             * @example [
             *       [
             *         "path",
             *         "EQ",
             *         "/offers"
             *       ]
             *     ]
             */
            filters?: unknown[][];
        };
        /**
         * BannerLabels
         * @description Texts of the banner.
         */
        BannerLabels: {
            /**
             * @description First line.
             * @example Get the app
             */
            heading: string;
            /**
             * @description Second line.
             * @example All offers in your pocket
             */
            body: string;
            /**
             * @description Label of the button that leads to the app.
             * @example Open
             */
            acceptAction: string;
            /**
             * @description Label of the button that closes it.
             * @example Later
             */
            declineAction: string;
        };
        /**
         * BannerColors
         * @description Colours of the banner.
         */
        BannerColors: {
            /**
             * @description Colour of the text.
             * @example #1b2129
             */
            fg: string;
            /**
             * @description Colour of the background.
             * @example #ffffff
             */
            bg: string;
            /**
             * @description Text of the second button.
             * @example #5a6573
             */
            declineActionFg: string;
            /**
             * @description Background of the second button.
             * @example #f6f7f9
             */
            declineActionBg: string;
            /**
             * @description Text of the first button.
             * @example #ffffff
             */
            acceptActionFg: string;
            /**
             * @description Background of the first button.
             * @example #1753d8
             */
            acceptActionBg: string;
            /**
             * @description Colour of the rating.
             * @example #b26a00
             */
            ratingFg: string;
        };
        /**
         * AppRating
         * @description The rating that the banner shows.
         */
        AppRating: {
            /**
             * @description Stars, 0 to 5.
             * @example 4.6
             */
            rating: number;
            /**
             * @description Number of ratings.
             * @example 1204
             */
            ratingCount: number;
        };
        /**
         * BannerDecline
         * @description The button that closes the banner.
         */
        BannerDecline: {
            /**
             * @description Whether the banner never comes back or comes back later.
             * @example remind
             * @enum {string}
             */
            type: "decline" | "remind";
            /** @description How long it stays away. */
            delay?: components["schemas"]["BannerDelay"];
        };
        /**
         * BannerDelay
         * @description How long the banner stays away.
         */
        BannerDelay: {
            /**
             * @description Number of units.
             * @example 7
             */
            duration: number;
            /**
             * @description Hours or days.
             * @example days
             * @enum {string}
             */
            timeUnit: "hours" | "days";
        };
        /**
         * AcceptedNotification
         * @description The notification, and who of its target gets nothing.
         */
        AcceptedNotification: {
            /** @description The notification. */
            notification: components["schemas"]["Notification"];
            /** @description Members of the target that get nothing; absent when everyone named can be reached. */
            errors?: components["schemas"]["TargetErrors"];
        };
        /**
         * Notification
         * @description A notification as it was accepted.
         */
        Notification: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number;
            /**
             * @description Which interface it came through. 1 messages, 2 push, 3 legacy, 4 cli, 5 console, 6 inApp.
             * @example 1
             * @enum {integer}
             */
            source: 1 | 2 | 3 | 4 | 5 | 6;
            /**
             * @description State of the notification. 0 scheduled, 1 queued, 2 sending, 3 sent, 5 failed, 4 cancelled.
             * @example 3
             * @enum {integer}
             */
            status: 0 | 1 | 2 | 3 | 5 | 4;
            /**
             * @description The target as the caller gave it, without what was empty or false.
             * @example {
             *       "broadcast": true
             *     }
             */
            filters: {
                [key: string]: unknown;
            };
            /**
             * @description Title.
             * @example Hello
             */
            title: string;
            /**
             * @description Text of the message.
             * @example We are open today
             */
            message: string;
            /**
             * @description Additional values for the app. Names that begin with `k.` are reserved for the SDK.
             * @example {
             *       "screen": "offers"
             *     }
             */
            data: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
            /**
             * @description The uid of its purpose: users who do not allow it are left out.
             * @example news
             */
            purpose?: string;
            /**
             * @description `transactional` ignores quiet hours, frequency cap and purposes; the suppression list still counts. Default `normal`.
             * @example transactional
             * @constant
             */
            priority?: "transactional";
        };
        /**
         * TargetErrors
         * @description Members of the target that get nothing, as the caller wrote them. A list without members is absent.
         */
        TargetErrors: {
            /**
             * @description Install ids that do not exist.
             * @example [
             *       "gone"
             *     ]
             */
            unknownInstallIds?: (string | number)[];
            /**
             * @description Installs that exist and cannot be reached.
             * @example [
             *       "7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10"
             *     ]
             */
            unsubscribedInstallIds?: (string | number)[];
            /**
             * @description User identifiers that do not exist.
             * @example [
             *       "user-99"
             *     ]
             */
            unknownUserIds?: (string | number)[];
            /**
             * @description Users who exist and cannot be reached.
             * @example [
             *       "user-18"
             *     ]
             */
            unsubscribedUserIds?: (string | number)[];
        };
        /**
         * RejectedNotification
         * @description Nobody in the target can be reached, so nothing was stored.
         */
        RejectedNotification: {
            /**
             * @description Always null.
             * @example null
             */
            notification: null;
            /** @description Why nobody can be reached. */
            errors: components["schemas"]["TargetErrors"];
        };
        /**
         * InstallOpen
         * @description An install that opened a notification.
         */
        InstallOpen: {
            /**
             * @description Id of the install.
             * @example 7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10
             */
            installId: string;
            /**
             * @description When it was opened. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:05:00
             */
            openedAt: string;
        };
        /**
         * UserOpen
         * @description A user who opened a notification.
         */
        UserOpen: {
            /**
             * @description Identifier of the user.
             * @example user-17
             */
            userId: string;
            /**
             * @description When it was opened. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:05:00
             */
            openedAt: string;
        };
        /**
         * GatewayBlocks
         * @description Credentials by platform. At least one block is required.
         */
        GatewayBlocks: {
            /** @description APNs: a certificate (`p12`) or a key (`p8` with `keyId`, `teamId` and `topic`). */
            ios?: {
                /**
                 * @description Which of Apple's two environments the app is built for.
                 * @example production
                 * @enum {string}
                 */
                mode: "sandbox" | "production";
                /**
                 * @description Certificate and key as PKCS #12, in base64.
                 * @example MIIKaQIBAzCCCi8GCSqGSIb3DQEHAaCCCiAEggocMIIKGDCCBM8=
                 */
                p12?: string | null;
                /**
                 * @description Password of the `p12`.
                 * @example secret
                 */
                password?: string | null;
                /**
                 * @description Token signing key, PEM.
                 * @example -----BEGIN PRIVATE KEY-----
                 *     …
                 *     -----END PRIVATE KEY-----
                 */
                p8?: string | null;
                /**
                 * @description Id of the key.
                 * @example ABC123DEFG
                 */
                keyId?: string | null;
                /**
                 * @description Apple team id.
                 * @example A1B2C3D4E5
                 */
                teamId?: string | null;
                /**
                 * @description Bundle id of the app.
                 * @example com.example.app
                 */
                topic?: string | null;
                /**
                 * @description Whether the app has Apple’s entitlement for critical alerts. Without it, the stored value stays; at first it is false.
                 * @example true
                 */
                critical?: boolean | null;
            } | null;
            /** @description FCM: a service account. */
            android?: {
                /**
                 * @description Legacy server key. Accepted, and no longer of use to FCM.
                 * @example AAAA0123456789
                 */
                serverKey?: string | null;
                /** @description The JSON of a service account, in camel case. */
                serviceAccount?: {
                    /**
                     * @description Id of the project.
                     * @example example-app
                     */
                    projectId: string;
                    /**
                     * @description Private key, PEM.
                     * @example -----BEGIN PRIVATE KEY-----
                     *     …
                     *     -----END PRIVATE KEY-----
                     */
                    privateKey: string;
                    /**
                     * @description E-mail address of the account.
                     * @example push@example-app.iam.gserviceaccount.com
                     */
                    clientEmail: string;
                    /**
                     * @description Id of the key.
                     * @example 0123456789abcdef
                     */
                    privateKeyId?: string | null;
                    /**
                     * @description Id of the account.
                     * @example 123456789012345678901
                     */
                    clientId?: string | null;
                    /**
                     * Format: uri
                     * @description Where the account authenticates.
                     * @example https://accounts.google.com/o/oauth2/auth
                     */
                    authUri?: string | null;
                    /**
                     * Format: uri
                     * @description Where the account gets its tokens.
                     * @example https://oauth2.googleapis.com/token
                     */
                    tokenUri?: string | null;
                    /**
                     * Format: uri
                     * @description Certificates of the provider. An absolute http or https URL.
                     * @example https://www.googleapis.com/oauth2/v1/certs
                     */
                    authProviderX509CertUrl?: string | null;
                    /**
                     * Format: uri
                     * @description Certificate of the account. An absolute http or https URL.
                     * @example https://www.googleapis.com/robot/v1/metadata/x509/push
                     */
                    clientX509CertUrl?: string | null;
                } | null;
            } | null;
            /** @description Web Push. Keys are generated unless they are given. */
            web?: {
                /**
                 * Format: uri
                 * @description Icon of notifications. An absolute https or http URL.
                 * @example https://example.com/icon.png
                 */
                iconUrl?: string | null;
                /**
                 * @description Whom push services contact: a `mailto:` or `https:` address.
                 * @example mailto:push@example.com
                 */
                subject?: string | null;
                /** @description The VAPID key pair of the app, if it has one already. */
                vapid?: {
                    /**
                     * @description Public key in base64url.
                     * @example BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM
                     */
                    publicKey?: string | null;
                    /**
                     * @description Private key in base64url.
                     * @example dGhpcyBpcyBub3QgYSByZWFsIGtleSwganVzdCAzMiBieQ
                     */
                    privateKey: string;
                } | null;
                /**
                 * @description True replaces the VAPID keys. Browsers that subscribed with earlier ones stay reachable.
                 * @example false
                 */
                rotate?: boolean | null;
            } | null;
            /** @description Safari before it knew Web Push. */
            safari?: {
                /**
                 * @description Certificate and key as PKCS #12, in base64.
                 * @example MIIKaQIBAzCCCi8GCSqGSIb3DQEHAaCCCiAEggocMIIKGDCCBM8=
                 */
                p12: string;
                /**
                 * @description Password of the `p12`.
                 * @example secret
                 */
                password?: string | null;
                /**
                 * Format: uri
                 * @description Address of the website. An absolute http or https URL.
                 * @example https://example.com
                 */
                siteUrl: string;
                /**
                 * @description Icon of notifications.
                 * @example https://example.com/icon.png
                 */
                iconUrl: string;
                /**
                 * @description Name of the website.
                 * @example Example
                 */
                websiteName?: string | null;
                /**
                 * @description Intermediate certificate of Apple, PEM.
                 * @example -----BEGIN CERTIFICATE-----
                 *     …
                 *     -----END CERTIFICATE-----
                 */
                intermediate?: string | null;
            } | null;
            /** @description Huawei's Push Kit. */
            hcm?: {
                /**
                 * @description App ID of AppGallery Connect.
                 * @example 100000001
                 */
                appId: number | string;
                /**
                 * @description Secret of the app at Huawei.
                 * @example secret
                 */
                appIdPassword: string;
            } | null;
        };
        /**
         * AppConfiguration
         * @description Which push gateways an app has.
         */
        AppConfiguration: {
            /**
             * @description The `id` of the app.
             * @example 1
             */
            id: number;
            /**
             * @description The account that owns the app.
             * @example 1
             */
            accountId: number;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
            /** @description The configured gateways. */
            platformConfigs: components["schemas"]["PlatformConfig"][];
            /**
             * @description What works but needs attention, a sentence each.
             * @example [
             *       "ios: the certificate expires in 12 days"
             *     ]
             */
            warnings?: string[];
        };
        /**
         * PlatformConfig
         * @description A configured gateway.
         */
        PlatformConfig: {
            /**
             * @description The platform. 1 ios, 2 android, 3 web, 4 safari, 5 hcm.
             * @example 1
             * @enum {integer}
             */
            platformType: 1 | 2 | 3 | 4 | 5;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
        };
        /**
         * NewChannel
         * @description A channel to create.
         */
        NewChannel: {
            /**
             * @description Identifier of the channel, unique in the app.
             * @example news
             */
            uuid: string;
            /**
             * @description Name for people.
             * @example News
             */
            name?: string | null;
            /**
             * @description Whether the console offers the channel as a target. Needs a `name`.
             * @example true
             */
            showInPortal?: boolean | null;
            /**
             * @description Additional values for the app, returned when it reads channels.
             * @example {
             *       "icon": "news.png"
             *     }
             */
            meta?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * Channel
         * @description Something that installs and users subscribe to.
         */
        Channel: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number;
            /**
             * @description Identifier of the channel, unique in the app.
             * @example news
             */
            uuid: string;
            /**
             * @description Name for people. Null makes the channel private.
             * @example News
             */
            name: string | null;
            /**
             * @description Whether the console offers the channel as a target. Needs a `name`.
             * @example true
             */
            showInPortal: boolean;
            /**
             * @description Additional values for the app, returned when it reads channels.
             * @example {
             *       "icon": "news.png"
             *     }
             */
            meta: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Present on a channel that a device created and no server has named since.
             * @example true
             * @constant
             */
            madeByDevice?: true;
            /**
             * @description When it was created. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:00:00
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:30:00
             */
            updatedAt: string;
        };
        /**
         * ChannelPage
         * @description One page of channels.
         */
        ChannelPage: {
            /** @description The channels of this page. */
            channels: components["schemas"]["Channel"][];
            /**
             * @description The `after` of the next page. Null on the last page.
             * @example 51
             */
            next: number | null;
        };
        /**
         * ChannelChange
         * @description What changes about a channel.
         */
        ChannelChange: {
            /**
             * @description New identifier of the channel, unique in the app.
             * @example news
             */
            uuid?: string | null;
            /**
             * @description Name for people.
             * @example News
             */
            name?: string | null;
            /**
             * @description Whether the console offers the channel as a target. Needs a `name`.
             * @example true
             */
            showInPortal?: boolean | null;
            /**
             * @description Additional values for the app, returned when it reads channels.
             * @example {
             *       "icon": "news.png"
             *     }
             */
            meta?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * Subscribers
         * @description Who is subscribed. At least one id is required.
         */
        Subscribers: {
            /**
             * @description Ids of installs.
             * @example [
             *       "7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10"
             *     ]
             */
            installIds?: (string | number)[] | null;
            /**
             * @description Identifiers of users.
             * @example [
             *       "user-17"
             *     ]
             */
            userIds?: (string | number)[] | null;
        };
        /**
         * Unsubscribers
         * @description Who is unsubscribed. At least one id is required.
         */
        Unsubscribers: {
            /**
             * @description Ids of installs.
             * @example [
             *       "7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10"
             *     ]
             */
            installIds?: (string | number)[] | null;
            /**
             * @description Identifiers of users.
             * @example [
             *       "user-17"
             *     ]
             */
            userIds?: (string | number)[] | null;
            /**
             * @description True: only the subscriptions of the users end, not those of their installs.
             * @example true
             */
            keepInstalls?: boolean | null;
        };
        /**
         * NotificationRequest
         * @description A notification to send.
         */
        NotificationRequest: {
            /** @description Who gets it. */
            target: {
                /**
                 * @description True targets everyone.
                 * @example true
                 */
                broadcast?: boolean | null;
                /**
                 * @description Ids of installs.
                 * @example [
                 *       "7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10"
                 *     ]
                 */
                installIds?: (string | number)[] | null;
                /**
                 * @description Identifiers of users.
                 * @example [
                 *       "user-17"
                 *     ]
                 */
                userIds?: (string | number)[] | null;
                /**
                 * @description Installs that match this segment.
                 * @example 0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10
                 */
                segmentUuid?: string | null;
                /**
                 * @description Installs subscribed to any of these channels.
                 * @example [
                 *       "news"
                 *     ]
                 */
                channelUuids?: string[] | null;
                /**
                 * @description Installs that get nothing, whatever else the target says.
                 * @example [
                 *       "gone"
                 *     ]
                 */
                excludeInstallIds?: (string | number)[] | null;
                /**
                 * @description Installs inside any of these geofences when it is sent.
                 * @example [
                 *       5
                 *     ]
                 */
                geofenceIds?: number[] | null;
                /**
                 * @description As `geofenceIds`, by tag.
                 * @example [
                 *       "work"
                 *     ]
                 */
                geofenceTags?: string[] | null;
                /**
                 * @description True targets installs inside any geofence.
                 * @example true
                 */
                geofenceBroadcast?: boolean | null;
            };
            /** @description What it says. */
            content: {
                /**
                 * @description Title.
                 * @example Hello
                 */
                title: string;
                /**
                 * @description Text of the message.
                 * @example We are open today
                 */
                message: string;
                /**
                 * Format: uri-reference
                 * @description An absolute URL that is opened when the notification is clicked. A path such as `/sale` continues from the `siteUrl` of the Safari gateway.
                 * @example https://example.com/sale
                 */
                url?: string | null;
                /**
                 * @description Additional values for the app. Names that begin with `k.` are reserved for the SDK.
                 * @example {
                 *       "screen": "offers"
                 *     }
                 */
                data?: {
                    [key: string]: unknown;
                } | null;
            };
            /**
             * @description A later notification with the same id replaces this one on the device.
             * @example score-1007
             */
            collapseId?: string | null;
            /**
             * @description True wakes the app in the background and shows nothing by itself.
             * @example false
             */
            runBackgroundHandler?: boolean | null;
            /**
             * @description Copied into the `data` of the events that this causes.
             * @example {
             *       "campaign": "spring"
             *     }
             */
            reportingMeta?: {
                [key: string]: unknown;
            } | null;
            /** @description For iOS only. */
            ios?: {
                /**
                 * @description Category of the notification content extension.
                 * @example OFFER
                 */
                category?: string | null;
                /** @description Sound file in the app; `none` switches sound and vibration off. An object can make the sound critical: then it plays although the device is muted, for which the app needs an entitlement from Apple (`critical` of the gateway). */
                sound?: string | {
                    /**
                     * @description Sound file in the app. A critical sound without it is the sound of the system.
                     * @example siren.caf
                     */
                    name?: string;
                    /**
                     * @description True plays it although the device is muted.
                     * @example true
                     */
                    critical?: boolean;
                    /**
                     * @description Volume of a critical sound, from 0 to 1.
                     * @example 0.8
                     */
                    volume?: number;
                } | null;
                /** @description What is shown with it. */
                media?: {
                    /**
                     * Format: uri
                     * @description A picture that is shown with it. An absolute http or https URL.
                     * @example https://example.com/offer.png
                     */
                    pictureUrl?: string | null;
                } | null;
                /**
                 * @description Shown between title and message.
                 * @example Order 1007
                 */
                subtitle?: string | null;
                /**
                 * @description Notifications with the same id are shown together.
                 * @example order-1007
                 */
                threadId?: string | null;
                /**
                 * @description How far iOS may interrupt. `time-sensitive` passes a Focus where the person allows it; `critical` needs an entitlement from Apple.
                 * @example time-sensitive
                 * @enum {string|null}
                 */
                interruptionLevel?: "passive" | "active" | "time-sensitive" | "critical" | null;
                /**
                 * @description From 0 to 1. The highest of an app leads its summary.
                 * @example 0.75
                 */
                relevanceScore?: number | null;
                /**
                 * @description The window of the app that a tap brings to the front.
                 * @example chat-12
                 */
                targetContentId?: string | null;
                /**
                 * @description What APNs does: 10 sends at once, 5 when it suits the battery, 1 without waking the device. Default: 10.
                 * @example 5
                 * @enum {integer|null}
                 */
                priority?: 10 | 5 | 1 | null;
                /** @description What happens to the badge of the app icon. */
                badge?: {
                    /**
                     * @description Whether the number is added or set.
                     * @example incrementBy
                     * @enum {string}
                     */
                    type: "incrementBy" | "setTo";
                    /**
                     * @description The number. Zero clears the badge.
                     * @example 1
                     */
                    count: number;
                } | null;
            } | null;
            /** @description For Android only. */
            android?: {
                /**
                 * @description True wakes a sleeping device.
                 * @example true
                 */
                highPriority?: boolean | null;
                /**
                 * @description Sound file in the app.
                 * @example bell
                 */
                sound?: string | null;
                /**
                 * Format: uri
                 * @description A picture that is shown with it. An absolute http or https URL.
                 * @example https://example.com/offer.png
                 */
                pictureUrl?: string | null;
                /**
                 * @description Notification channel that the app made, and with it the importance. If the app has no such channel, the general one of the SDK is used.
                 * @example orders
                 */
                channelId?: string | null;
                /**
                 * @description `high` may appear on top of the screen. It means a channel of the SDK, so `channelId` wins where the app has that channel.
                 * @example high
                 * @enum {string|null}
                 */
                importance?: "default" | "high" | null;
            } | null;
            /** @description Buttons below the message. */
            buttons?: {
                /**
                 * @description Passed to the app as `actionId`.
                 * @example buy
                 */
                id: string;
                /**
                 * @description Label.
                 * @example Buy
                 */
                text: string;
                /** @description Icon, shown by iOS 15 and later. */
                icon?: {
                    /**
                     * @description `system` is an SF Symbol, `custom` an image in the app.
                     * @example system
                     * @enum {string}
                     */
                    type: "custom" | "system";
                    /**
                     * @description Name of the symbol or image.
                     * @example cart
                     */
                    id: string;
                } | null;
            }[] | null;
            /** @description When it is due. Without it, at once. */
            schedule?: {
                /**
                 * @description Local time as `YYYY-MM-DD HH:mm`; only the day, `YYYY-MM-DD`, with the strategy `intelligent`.
                 * @example 2026-12-24 18:00
                 */
                sendAt: string;
                /**
                 * @description Whose time `sendAt` is: `utc`, the `timezone` given, the `local` time of each install, or `intelligent` for the usual hour of each user.
                 * @example local
                 * @enum {string}
                 */
                strategy: "local" | "utc" | "timezone" | "intelligent";
                /**
                 * @description What happens where the time has passed: `ignore` leaves those out, `nextDay` waits for the next day.
                 * @example nextDay
                 * @enum {string}
                 */
                pastTimes: "ignore" | "nextDay";
                /**
                 * @description IANA time zone; required by the strategy `timezone`.
                 * @example Europe/Berlin
                 */
                timezone?: string | null;
            } | null;
            /**
             * @description True sends it at the next usual hour of each user. Excludes `schedule`.
             * @example true
             */
            intelligentDelivery?: boolean | null;
            /**
             * @description Values for single users, by their identifier. Copied into the events of the push.
             * @example {
             *       "user-17": {
             *         "seat": "4A"
             *       }
             *     }
             */
            userMeta?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Seconds after the due time during which it is worth delivering.
             * @example 86400
             */
            ttl?: number | null;
            /**
             * @description Maximum number of recipients a second.
             * @example 500
             */
            rateLimit?: number | null;
            /**
             * @description Maximum number of recipients that the caller expects. Required of sends above `confirmAbove` of the restraint.
             * @example 1000
             */
            confirm?: number | null;
            /**
             * @description The uid of its purpose: users who do not allow it are left out.
             * @example news
             */
            purpose?: string | null;
            /**
             * @description `transactional` ignores quiet hours, frequency cap and purposes; the suppression list still counts. Default `normal`.
             * @example transactional
             * @enum {string|null}
             */
            priority?: "normal" | "transactional" | null;
        };
        /**
         * SendPreview
         * @description What sending a notification would do.
         */
        SendPreview: {
            /**
             * @description Installs in the audience now.
             * @example 1204
             */
            recipients: number;
            /**
             * @description False if the time to count was over: there are more recipients.
             * @example true
             */
            isComplete: boolean;
            /**
             * @description The `confirm` with which it can be sent; null if none is needed.
             * @example null
             */
            confirm: number | null;
            /** @description The platforms of the recipients. */
            gateways: components["schemas"]["PreviewedGateway"][];
            /** @description Who gets nothing, by reason. */
            leftOut: components["schemas"]["LeftOut"][];
            /**
             * @description Rules by which recipients may be skipped when it is sent: of the app, of the purpose, and the suppression list.
             * @example [
             *       "quiet_hours"
             *     ]
             */
            mayBeSkipped: ("quiet_hours" | "frequency_cap" | "not_wanted" | "on_suppression_list")[];
            /** @description Members of the target that get nothing, as sending would tell them. */
            errors: components["schemas"]["TargetErrors"];
        };
        /**
         * PreviewedGateway
         * @description The recipients of one platform, and the request that its gateway would get.
         */
        PreviewedGateway: {
            /**
             * @description Platform, by the name of its block.
             * @example ios
             * @enum {string}
             */
            platform: "ios" | "android" | "web" | "safari" | "hcm";
            /**
             * @description Installs of this platform in the audience now.
             * @example 1204
             */
            recipients: number;
            /**
             * @description Whether the app has a gateway that can send to this platform.
             * @example true
             */
            configured: boolean;
            /** @description What the gateway would get, without address and credential. */
            request: components["schemas"]["GatewayRequest"] | null;
        };
        /**
         * GatewayRequest
         * @description A request to a gateway.
         */
        GatewayRequest: {
            /**
             * @description Headers that depend on the notification.
             * @example {}
             */
            headers: {
                [key: string]: unknown;
            };
            /**
             * @description The payload.
             * @example {}
             */
            payload: unknown;
            /**
             * @description Size as the vendor counts it.
             * @example 180
             */
            bytes: number;
            /**
             * @description The limit of the vendor in bytes.
             * @example 4096
             */
            limit: number;
        };
        /**
         * LeftOut
         * @description How many get nothing for one reason.
         */
        LeftOut: {
            /**
             * @description Why. `no_gateway`: they are among the recipients, and fail.
             * @example no_gateway
             * @enum {string}
             */
            reason: "unknown_install" | "unsubscribed_install" | "unknown_user" | "unsubscribed_user" | "excluded" | "no_gateway";
            /**
             * @description How many: installs, or users for the reasons that name users.
             * @example 3
             */
            count: number;
        };
        /**
         * NotificationPage
         * @description One page of notifications.
         */
        NotificationPage: {
            /** @description The notifications. */
            notifications: components["schemas"]["Notification"][];
            /**
             * @description The `after` of the next page. Null on the last page.
             * @example 51
             */
            next: number | null;
        };
        /**
         * NotificationReport
         * @description A notification with what became of its recipients.
         */
        NotificationReport: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number;
            /**
             * @description Which interface it came through. 1 messages, 2 push, 3 legacy, 4 cli, 5 console, 6 inApp.
             * @example 1
             * @enum {integer}
             */
            source: 1 | 2 | 3 | 4 | 5 | 6;
            /**
             * @description State of the notification. 0 scheduled, 1 queued, 2 sending, 3 sent, 5 failed, 4 cancelled.
             * @example 3
             * @enum {integer}
             */
            status: 0 | 1 | 2 | 3 | 5 | 4;
            /**
             * @description The target as the caller gave it, without what was empty or false.
             * @example {
             *       "broadcast": true
             *     }
             */
            filters: {
                [key: string]: unknown;
            };
            /**
             * @description Title.
             * @example Hello
             */
            title: string;
            /**
             * @description Text of the message.
             * @example We are open today
             */
            message: string;
            /**
             * @description Additional values for the app. Names that begin with `k.` are reserved for the SDK.
             * @example {
             *       "screen": "offers"
             *     }
             */
            data: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
            /**
             * @description The uid of its purpose: users who do not allow it are left out.
             * @example news
             */
            purpose?: string;
            /**
             * @description `transactional` ignores quiet hours, frequency cap and purposes; the suppression list still counts. Default `normal`.
             * @example transactional
             * @constant
             */
            priority?: "transactional";
            /**
             * @description Why it failed or was called off; null otherwise.
             * @example null
             */
            statusReason: string | null;
            /**
             * @description When it is no longer worth delivering. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-02T12:00:00+0000
             */
            expiresAt: string;
            /** @description When it is due. Without it, at once. */
            schedule: components["schemas"]["ShownSchedule"] | null;
            /**
             * @description True sends it at the next usual hour of each user. Excludes `schedule`.
             * @example true
             * @constant
             */
            intelligentDelivery?: true;
            /** @description The times at which it is due, in order. Times at which nobody is due are left out. */
            dueInstants: components["schemas"]["DueInstant"][];
            /**
             * @description Number of time zones without known rules. They use the default zone of the app.
             * @example 0
             */
            unknownZones: number;
            /** @description Recipients by what became of them. */
            counts: components["schemas"]["NotificationCounts"];
        };
        /**
         * ShownSchedule
         * @description The schedule as it was given.
         */
        ShownSchedule: {
            /**
             * @description Local time as `YYYY-MM-DD HH:mm`; only the day, `YYYY-MM-DD`, with the strategy `intelligent`.
             * @example 2026-12-24 18:00
             */
            sendAt: string;
            /**
             * @description Whose time `sendAt` is: `utc`, the `timezone` given, the `local` time of each install, or `intelligent` for the usual hour of each user.
             * @example local
             * @enum {string}
             */
            strategy: "utc" | "local" | "timezone" | "intelligent";
            /**
             * @description What happens where the time has passed: `ignore` leaves those out, `nextDay` waits for the next day.
             * @example nextDay
             * @enum {string}
             */
            pastTimes: "ignore" | "nextDay";
            /**
             * @description IANA time zone of the strategy `timezone`.
             * @example Europe/Berlin
             */
            timezone?: string;
        };
        /**
         * DueInstant
         * @description One time at which the notification is due.
         */
        DueInstant: {
            /**
             * @description The time. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            at: string;
            /**
             * @description How far it is; `passed` was left out because the time had passed.
             * @example done
             * @enum {string}
             */
            state: "due" | "sending" | "done" | "cancelled" | "passed";
            /**
             * @description Number of time zones that it is due in; null means all.
             * @example 3
             */
            zones: number | null;
        };
        /**
         * NotificationCounts
         * @description Recipients by what became of them.
         */
        NotificationCounts: {
            /**
             * @description All recipients.
             * @example 3
             */
            audience: number;
            /**
             * @description Recipients who are still to be tried.
             * @example 0
             */
            pending: number;
            /**
             * @description Accepted by the gateway.
             * @example 1
             */
            accepted: number;
            /**
             * @description Refused for good, or given up.
             * @example 1
             */
            failed: number;
            /**
             * @description Too late to be worth delivering.
             * @example 0
             */
            expired: number;
            /**
             * @description Called off before they were tried.
             * @example 0
             */
            cancelled: number;
            /**
             * @description Left out on purpose, for example by quiet hours.
             * @example 1
             */
            skipped: number;
            /**
             * @description The gateway never said what became of them.
             * @example 0
             */
            unknown: number;
            /**
             * @description Reported by devices as arrived.
             * @example 1
             */
            delivered: number;
            /**
             * @description Reported by devices as opened.
             * @example 1
             */
            opened: number;
            /**
             * @description Reported by devices as dismissed.
             * @example 0
             */
            dismissed: number;
            /** @description Failed recipients by reason, the most frequent first. Of very many reasons the rarest are together, as `other reasons`. */
            failures: components["schemas"]["FailureCount"][];
            /** @description Skipped recipients by reason. */
            skips: components["schemas"]["ReasonCount"][];
            /** @description Expired recipients whose reason is known. */
            expiries: components["schemas"]["ReasonCount"][];
        };
        /**
         * FailureCount
         * @description How many recipients were not reached for one reason.
         */
        FailureCount: {
            /**
             * @description Kind of failure.
             * @example token_dead
             */
            kind: string;
            /**
             * @description The reason; of failures, in the words of the gateway.
             * @example UNREGISTERED
             */
            reason: string;
            /**
             * @description Number of recipients.
             * @example 1
             */
            count: number;
        };
        /**
         * ReasonCount
         * @description How many recipients there were for one reason.
         */
        ReasonCount: {
            /**
             * @description The reason; of failures, in the words of the gateway.
             * @example UNREGISTERED
             */
            reason: string;
            /**
             * @description Number of recipients.
             * @example 1
             */
            count: number;
        };
        /**
         * ScheduledNotifications
         * @description Notifications that are still due somewhere, the next one first.
         */
        ScheduledNotifications: {
            /** @description The notifications. */
            notifications: components["schemas"]["ScheduledNotification"][];
        };
        /**
         * ScheduledNotification
         * @description A notification that is still due somewhere.
         */
        ScheduledNotification: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number;
            /**
             * @description Which interface it came through. 1 messages, 2 push, 3 legacy, 4 cli, 5 console, 6 inApp.
             * @example 1
             * @enum {integer}
             */
            source: 1 | 2 | 3 | 4 | 5 | 6;
            /**
             * @description State of the notification. 0 scheduled, 1 queued, 2 sending, 3 sent, 5 failed, 4 cancelled.
             * @example 0
             * @enum {integer}
             */
            status: 0 | 1 | 2 | 3 | 5 | 4;
            /**
             * @description The target as the caller gave it, without what was empty or false.
             * @example {
             *       "broadcast": true
             *     }
             */
            filters: {
                [key: string]: unknown;
            };
            /**
             * @description Title.
             * @example Hello
             */
            title: string;
            /**
             * @description Text of the message.
             * @example We are open today
             */
            message: string;
            /**
             * @description Additional values for the app. Names that begin with `k.` are reserved for the SDK.
             * @example {
             *       "screen": "offers"
             *     }
             */
            data: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
            /**
             * @description The uid of its purpose: users who do not allow it are left out.
             * @example news
             */
            purpose?: string;
            /**
             * @description `transactional` ignores quiet hours, frequency cap and purposes; the suppression list still counts. Default `normal`.
             * @example transactional
             * @constant
             */
            priority?: "transactional";
            /** @description When it is due. Without it, at once. */
            schedule: components["schemas"]["ShownSchedule"] | null;
            /**
             * @description True sends it at the next usual hour of each user. Excludes `schedule`.
             * @example true
             * @constant
             */
            intelligentDelivery?: true;
            /**
             * @description When it is due next. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-02T09:00:00+0000
             */
            nextAt: string;
        };
        /**
         * InAppMessageRequest
         * @description An in-app message to send.
         */
        InAppMessageRequest: {
            /** @description Who gets it. */
            target: {
                /**
                 * @description True targets everyone.
                 * @example true
                 */
                broadcast?: boolean | null;
                /**
                 * @description Ids of installs.
                 * @example [
                 *       "7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10"
                 *     ]
                 */
                installIds?: (string | number)[] | null;
                /**
                 * @description Identifiers of users.
                 * @example [
                 *       "user-17"
                 *     ]
                 */
                userIds?: (string | number)[] | null;
                /**
                 * @description Installs that match this segment.
                 * @example 0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10
                 */
                segmentUuid?: string | null;
                /**
                 * @description Installs subscribed to any of these channels.
                 * @example [
                 *       "news"
                 *     ]
                 */
                channelUuids?: string[] | null;
                /**
                 * @description Installs that get nothing, whatever else the target says.
                 * @example [
                 *       "gone"
                 *     ]
                 */
                excludeInstallIds?: (string | number)[] | null;
                /**
                 * @description Installs inside any of these geofences when it is sent.
                 * @example [
                 *       5
                 *     ]
                 */
                geofenceIds?: number[] | null;
                /**
                 * @description As `geofenceIds`, by tag.
                 * @example [
                 *       "work"
                 *     ]
                 */
                geofenceTags?: string[] | null;
                /**
                 * @description True targets installs inside any geofence.
                 * @example true
                 */
                geofenceBroadcast?: boolean | null;
            };
            /**
             * @description The `uid` of the template.
             * @example opening-hours
             */
            template: string;
            /**
             * @description Values of the dynamic tags, by title. Required if the template requires one.
             * @example {
             *       "Title": "Closed on Monday"
             *     }
             */
            content?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description When a device shows it by itself: at once, when the app is next opened, or never (inbox only).
             * @example next-open
             * @enum {string}
             */
            presentedWhen: "immediately" | "next-open" | "never";
            /** @description How long a user can see it. Required unless `presentedWhen` is `never`. */
            ttl?: {
                /**
                 * @description Number of `units`.
                 * @example 7
                 */
                expiresIn: number;
                /**
                 * @description Days or hours.
                 * @example d
                 * @enum {string}
                 */
                units: "d" | "h";
            } | null;
            /** @description A push that announces the message to those who get it. */
            notification?: {
                /**
                 * @description Title.
                 * @example Hello
                 */
                title: string;
                /**
                 * @description Text of the message.
                 * @example We are open today
                 */
                message: string;
                /** @description For iOS only. */
                ios?: {
                    /** @description What is shown with it. */
                    media?: {
                        /**
                         * Format: uri
                         * @description A picture that is shown with it. An absolute http or https URL.
                         * @example https://example.com/offer.png
                         */
                        pictureUrl?: string | null;
                    } | null;
                } | null;
                /** @description For Android only. */
                android?: {
                    /**
                     * Format: uri
                     * @description A picture that is shown with it. An absolute http or https URL.
                     * @example https://example.com/offer.png
                     */
                    pictureUrl?: string | null;
                } | null;
            } | null;
            /**
             * @description Additional values for the app. Names that begin with `k.` are reserved for the SDK.
             * @example {
             *       "screen": "offers"
             *     }
             */
            data?: {
                [key: string]: unknown;
            } | null;
            /** @description The entry in the inbox of the app; without one, the message is not in the inbox. */
            inbox?: {
                /**
                 * @description Title.
                 * @example Hello
                 */
                title: string;
                /**
                 * @description Second line.
                 * @example What changes this week
                 */
                subtitle: string;
                /**
                 * @description When the entry appears, ISO 8601.
                 * @example 2026-03-01T12:00:00Z
                 */
                from?: string | null;
                /**
                 * @description When the entry disappears, ISO 8601.
                 * @example 2026-03-08T12:00:00Z
                 */
                to?: string | null;
                /**
                 * Format: uri
                 * @description A picture. An absolute http or https URL.
                 * @example https://example.com/picture.png
                 */
                imageUrl?: string | null;
            } | null;
            /** @description When it is due. Without it, at once. */
            schedule?: {
                /**
                 * @description Local time as `YYYY-MM-DD HH:mm`; only the day, `YYYY-MM-DD`, with the strategy `intelligent`.
                 * @example 2026-12-24 18:00
                 */
                sendAt: string;
                /**
                 * @description Whose time `sendAt` is: `utc`, the `timezone` given, the `local` time of each install, or `intelligent` for the usual hour of each user.
                 * @example local
                 * @enum {string}
                 */
                strategy: "local" | "utc" | "timezone" | "intelligent";
                /**
                 * @description What happens where the time has passed: `ignore` leaves those out, `nextDay` waits for the next day.
                 * @example nextDay
                 * @enum {string}
                 */
                pastTimes: "ignore" | "nextDay";
                /**
                 * @description IANA time zone; required by the strategy `timezone`.
                 * @example Europe/Berlin
                 */
                timezone?: string | null;
            } | null;
            /**
             * @description True sends it at the next usual hour of each user. Excludes `schedule`.
             * @example true
             */
            intelligentDelivery?: boolean | null;
            /**
             * @description Maximum number of recipients that the caller expects. Required of sends above `confirmAbove` of the restraint.
             * @example 1000
             */
            confirm?: number | null;
            /**
             * @description The uid of its purpose: users who do not allow it are left out.
             * @example news
             */
            purpose?: string | null;
            /**
             * @description `transactional` ignores quiet hours, frequency cap and purposes; the suppression list still counts. Default `normal`.
             * @example transactional
             * @enum {string|null}
             */
            priority?: "normal" | "transactional" | null;
        };
        /**
         * AcceptedInAppMessage
         * @description The message, and who of its target does not get it.
         */
        AcceptedInAppMessage: {
            /** @description The message. */
            message: components["schemas"]["InAppMessage"];
            /** @description Members of the target that do not get it; absent when everyone named does. */
            errors?: components["schemas"]["TargetErrors"];
        };
        /**
         * InAppMessage
         * @description An in-app message as it was accepted.
         */
        InAppMessage: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number;
            /**
             * @description State of the message. 0 scheduled, 1 queued, 2 sending, 3 sent, 5 failed, 4 withdrawn.
             * @example 3
             * @enum {integer}
             */
            status: 0 | 1 | 2 | 3 | 5 | 4;
            /**
             * @description The target as the caller gave it, without what was empty or false.
             * @example {
             *       "broadcast": true
             *     }
             */
            filters: {
                [key: string]: unknown;
            };
            /**
             * @description The `uid` of the template.
             * @example opening-hours
             */
            template: string;
            /**
             * @description Values of the dynamic tags, by title.
             * @example {
             *       "Title": "Closed on Monday"
             *     }
             */
            content: {
                [key: string]: unknown;
            };
            /** @description The push that announces the message; null without one. */
            notification: components["schemas"]["Announcement"] | null;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
            /**
             * @description The uid of its purpose: users who do not allow it are left out.
             * @example news
             */
            purpose?: string;
            /**
             * @description `transactional` ignores quiet hours, frequency cap and purposes; the suppression list still counts. Default `normal`.
             * @example transactional
             * @constant
             */
            priority?: "transactional";
        };
        /**
         * Announcement
         * @description The push that announces the message.
         */
        Announcement: {
            /**
             * @description Title.
             * @example Hello
             */
            title: string;
            /**
             * @description Text of the message.
             * @example We are open today
             */
            message: string;
        };
        /**
         * RejectedInAppMessage
         * @description Nobody in the target can get it, so nothing was stored.
         */
        RejectedInAppMessage: {
            /**
             * @description Always null.
             * @example null
             */
            message: null;
            /** @description Why nobody can get it. */
            errors: components["schemas"]["TargetErrors"];
        };
        /**
         * InAppMessagePage
         * @description One page of in-app messages.
         */
        InAppMessagePage: {
            /** @description The messages of this page. */
            messages: components["schemas"]["InAppMessage"][];
            /**
             * @description The `after` of the next page. Null on the last page.
             * @example 51
             */
            next: number | null;
        };
        /**
         * InAppMessageReport
         * @description An in-app message with what became of it.
         */
        InAppMessageReport: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number;
            /**
             * @description State of the message. 0 scheduled, 1 queued, 2 sending, 3 sent, 5 failed, 4 withdrawn.
             * @example 3
             * @enum {integer}
             */
            status: 0 | 1 | 2 | 3 | 5 | 4;
            /**
             * @description The target as the caller gave it, without what was empty or false.
             * @example {
             *       "broadcast": true
             *     }
             */
            filters: {
                [key: string]: unknown;
            };
            /**
             * @description The `uid` of the template.
             * @example opening-hours
             */
            template: string;
            /**
             * @description Values of the dynamic tags, by title.
             * @example {
             *       "Title": "Closed on Monday"
             *     }
             */
            content: {
                [key: string]: unknown;
            };
            /** @description The push that announces the message; null without one. */
            notification: components["schemas"]["Announcement"] | null;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
            /**
             * @description The uid of its purpose: users who do not allow it are left out.
             * @example news
             */
            purpose?: string;
            /**
             * @description `transactional` ignores quiet hours, frequency cap and purposes; the suppression list still counts. Default `normal`.
             * @example transactional
             * @constant
             */
            priority?: "transactional";
            /**
             * @description Why it failed or was called off; null otherwise.
             * @example null
             */
            statusReason: string | null;
            /**
             * @description The version of the template that it was made from.
             * @example 2
             */
            templateVersion: number;
            /**
             * @description When a device shows it by itself: at once, when the app is next opened, or never (inbox only).
             * @example next-open
             * @enum {string}
             */
            presentedWhen: "immediately" | "next-open" | "never";
            /**
             * @description Seconds during which a user can see it; null if it never expires.
             * @example 604800
             */
            ttlSeconds: number | null;
            /**
             * @description Additional values for the app. Names that begin with `k.` are reserved for the SDK.
             * @example {
             *       "screen": "offers"
             *     }
             */
            data: {
                [key: string]: unknown;
            } | null;
            /** @description The entry in the inbox of the app; without one, the message is not in the inbox. */
            inbox: components["schemas"]["ShownInbox"] | null;
            /** @description When it is due. Without it, at once. */
            schedule: components["schemas"]["ShownSchedule"] | null;
            /**
             * @description True sends it at the next usual hour of each user. Excludes `schedule`.
             * @example true
             * @constant
             */
            intelligentDelivery?: true;
            /**
             * @description When its next step is due; null when all its recipients are found. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            nextAt: string | null;
            /**
             * @description When it was withdrawn; null otherwise. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            withdrawnAt: string | null;
            /** @description Recipients by what became of them. */
            counts: components["schemas"]["InAppMessageCounts"];
            /** @description The push that announces it; null without one. */
            push: components["schemas"]["LinkedPush"] | null;
        };
        /**
         * ShownInbox
         * @description The entry in the inbox of the app.
         */
        ShownInbox: {
            /**
             * @description Title.
             * @example Hello
             */
            title: string;
            /**
             * @description Second line.
             * @example What changes this week
             */
            subtitle: string;
            /**
             * @description When the entry appears. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            from: string | null;
            /**
             * @description When the entry disappears. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-08T12:00:00+0000
             */
            to: string | null;
            /**
             * Format: iri-reference
             * @description A picture.
             * @example https://example.com/picture.png
             */
            imageUrl: string | null;
        };
        /**
         * InAppMessageCounts
         * @description Users by what became of the message.
         */
        InAppMessageCounts: {
            /**
             * @description Users who have it.
             * @example 240
             */
            recipients: number;
            /**
             * @description Users left out because the time had passed where they are.
             * @example 0
             */
            skipped: number;
            /**
             * @description Users on whose devices it arrived.
             * @example 200
             */
            delivered: number;
            /**
             * @description Users on whose devices it was shown.
             * @example 180
             */
            shown: number;
            /**
             * @description Users who closed it.
             * @example 170
             */
            dismissed: number;
            /**
             * @description Users who read it in the inbox.
             * @example 75
             */
            read: number;
            /**
             * @description Users who removed it from the inbox.
             * @example 4
             */
            inboxDeleted: number;
            /** @description Skipped users by reason; absent when none was skipped for a reason. */
            skips?: components["schemas"]["ReasonCount"][];
        };
        /**
         * LinkedPush
         * @description What became of the push that announces the message.
         */
        LinkedPush: {
            /**
             * @description The `id` of the notification.
             * @example 13
             */
            notificationId: number;
            /**
             * @description State of the push. 0 scheduled, 1 queued, 2 sending, 3 sent, 5 failed, 4 cancelled.
             * @example 3
             * @enum {integer}
             */
            status: 0 | 1 | 2 | 3 | 5 | 4;
            /** @description Recipients by what became of them. */
            counts: components["schemas"]["LinkedPushCounts"];
        };
        /**
         * LinkedPushCounts
         * @description Recipients of the push by what became of them.
         */
        LinkedPushCounts: {
            /**
             * @description All recipients.
             * @example 3
             */
            audience: number;
            /**
             * @description Recipients who are still to be tried.
             * @example 0
             */
            pending: number;
            /**
             * @description Accepted by the gateway.
             * @example 1
             */
            accepted: number;
            /**
             * @description Refused for good, or given up.
             * @example 1
             */
            failed: number;
            /**
             * @description Too late to be worth delivering.
             * @example 0
             */
            expired: number;
            /**
             * @description Called off before they were tried.
             * @example 0
             */
            cancelled: number;
            /**
             * @description Left out on purpose, for example by quiet hours.
             * @example 1
             */
            skipped: number;
            /**
             * @description The gateway never said what became of them.
             * @example 0
             */
            unknown: number;
            /**
             * @description Reported by devices as arrived.
             * @example 1
             */
            delivered: number;
            /**
             * @description Reported by devices as opened.
             * @example 1
             */
            opened: number;
        };
        /**
         * UnknownSubscribers
         * @description The ids that were not applied.
         */
        UnknownSubscribers: {
            /** @description The ids that do not exist. */
            errors: components["schemas"]["UnknownSubscriberIds"];
        };
        /**
         * UnknownSubscriberIds
         * @description Ids that do not exist.
         */
        UnknownSubscriberIds: {
            /**
             * @description Install ids that do not exist.
             * @example [
             *       "gone"
             *     ]
             */
            unknownInstallIds?: (string | number)[];
            /**
             * @description User identifiers that do not exist.
             * @example [
             *       "user-99"
             *     ]
             */
            unknownUserIds?: (string | number)[];
        };
        /**
         * SubscriptionPage
         * @description One page of subscriptions.
         */
        SubscriptionPage: {
            /** @description The subscriptions of this page. */
            subscriptions: components["schemas"]["Subscription"][];
            /**
             * @description `after` of the next page; null on the last one.
             * @example u1042
             */
            next: string | null;
        };
        /**
         * Subscription
         * @description A subscription of a user, or of one install.
         */
        Subscription: {
            /**
             * @description The user, or the current user of the install.
             * @example user-17
             */
            userId: string;
            /**
             * @description The install; null when the user is subscribed, and with that all of their installs.
             * @example 7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10
             */
            installId: string | null;
            /**
             * @description False for an install that opted out: it gets nothing, although its user is subscribed.
             * @example true
             */
            subscribed: boolean;
        };
        /**
         * SubscribersFile
         * @description A form with one file.
         */
        SubscribersFile: {
            /**
             * @description The file. Its part of the form may have any name.
             * @example user-17
             *     user-18
             */
            file: string;
        };
        /**
         * QueuedChannelImport
         * @description A file that was accepted.
         */
        QueuedChannelImport: {
            /** @description The file of subscribers. */
            import: components["schemas"]["ChannelImport"];
        };
        /**
         * ChannelImport
         * @description A file of subscribers and its progress.
         */
        ChannelImport: {
            /**
             * @description Unique id of the file.
             * @example 0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10
             */
            id: string;
            /**
             * @description How far it is.
             * @example done
             * @enum {string}
             */
            state: "queued" | "running" | "done" | "failed";
            /**
             * @description Identifiers in the file.
             * @example 120
             */
            lines: number;
            /**
             * @description Identifiers processed so far.
             * @example 120
             */
            processed: number;
            /**
             * @description Identifiers whose user is subscribed now.
             * @example 118
             */
            applied: number;
            /**
             * @description Identifiers whose user does not exist.
             * @example 2
             */
            unknown: number;
            /**
             * @description Why the import failed; null otherwise.
             * @example null
             */
            error: string | null;
            /**
             * @description When the file was accepted. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:00:00
             */
            createdAt: string;
            /**
             * @description When it last made progress. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:30:00
             */
            updatedAt: string;
        };
        /**
         * ChannelImportPage
         * @description One page of files of subscribers.
         */
        ChannelImportPage: {
            /** @description The files of this page. */
            imports: components["schemas"]["ChannelImport"][];
            /**
             * @description The `after` of the next page. Null on the last page.
             * @example 51
             */
            next: number | null;
        };
        /**
         * ChannelImportAnswer
         * @description The progress of a file.
         */
        ChannelImportAnswer: {
            /** @description The file of subscribers. */
            import: components["schemas"]["ChannelImportReport"];
        };
        /**
         * ChannelImportReport
         * @description A file of subscribers with the first lines whose user does not exist.
         */
        ChannelImportReport: {
            /**
             * @description Unique id of the file.
             * @example 0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10
             */
            id: string;
            /**
             * @description How far it is.
             * @example done
             * @enum {string}
             */
            state: "queued" | "running" | "done" | "failed";
            /**
             * @description Identifiers in the file.
             * @example 120
             */
            lines: number;
            /**
             * @description Identifiers processed so far.
             * @example 120
             */
            processed: number;
            /**
             * @description Identifiers whose user is subscribed now.
             * @example 118
             */
            applied: number;
            /**
             * @description Identifiers whose user does not exist.
             * @example 2
             */
            unknown: number;
            /**
             * @description Why the import failed; null otherwise.
             * @example null
             */
            error: string | null;
            /**
             * @description When the file was accepted. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:00:00
             */
            createdAt: string;
            /**
             * @description When it last made progress. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:30:00
             */
            updatedAt: string;
            /** @description The first lines whose user does not exist. */
            unknownUsers: components["schemas"]["UnknownLine"][];
        };
        /**
         * UnknownLine
         * @description A line whose user does not exist.
         */
        UnknownLine: {
            /**
             * @description Number of the line, from 1.
             * @example 2
             */
            line: number;
            /**
             * @description What the line says.
             * @example user-99
             */
            userId: string;
        };
        /**
         * NewSegment
         * @description A segment to create.
         */
        NewSegment: {
            /**
             * @description Name for people.
             * @example On iOS
             */
            name: string;
            /**
             * @description A condition {"field", "op", "value"}, or {"and": [filters]}, {"or": [filters]}, {"not": filter}; see docs/segments.md.
             * @example {
             *       "field": "os",
             *       "op": "equals",
             *       "value": "iOS"
             *     }
             */
            filter: {
                [key: string]: unknown;
            };
        };
        /**
         * Segment
         * @description A named filter over installs and their users.
         */
        Segment: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number;
            /**
             * @description Unique identifier.
             * @example 0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10
             */
            uuid: string;
            /**
             * @description Name for people.
             * @example On iOS
             */
            name: string;
            /**
             * @description The filter as it was written; see `docs/segments.md`.
             * @example {
             *       "field": "os",
             *       "op": "equals",
             *       "value": "iOS"
             *     }
             */
            filter: {
                [key: string]: unknown;
            };
            /**
             * @description When it was created. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:00:00
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:30:00
             */
            updatedAt: string;
        };
        /**
         * SegmentPage
         * @description One page of segments.
         */
        SegmentPage: {
            /** @description The segments of this page. */
            segments: components["schemas"]["Segment"][];
            /**
             * @description The `after` of the next page. Null on the last page.
             * @example 51
             */
            next: number | null;
        };
        /**
         * SegmentPreview
         * @description The subscribed installs that match now.
         */
        SegmentPreview: {
            /**
             * @description Number of matching installs.
             * @example 240
             */
            total: number;
            /**
             * @description Number of matching installs by platform.
             * @example {
             *       "ios": 240
             *     }
             */
            platforms: {
                [key: string]: number;
            };
            /** @description The first of them. */
            first: components["schemas"]["MatchingInstall"][];
        };
        /**
         * MatchingInstall
         * @description An install that matches.
         */
        MatchingInstall: {
            /**
             * @description Id of the install.
             * @example 7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10
             */
            installId: string;
            /**
             * @description Identifier of the user.
             * @example user-17
             */
            userId: string;
            /**
             * @description Platform of its push token.
             * @example ios
             * @enum {string}
             */
            platform: "ios" | "android" | "web" | "safari" | "hcm";
        };
        /**
         * SegmentChange
         * @description What changes about a segment.
         */
        SegmentChange: {
            /**
             * @description New name for people.
             * @example On iPhones
             */
            name?: string | null;
            /**
             * @description A condition {"field", "op", "value"}, or {"and": [filters]}, {"or": [filters]}, {"not": filter}; see docs/segments.md.
             * @example {
             *       "field": "os",
             *       "op": "equals",
             *       "value": "iOS"
             *     }
             */
            filter?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * NewTemplate
         * @description A template to create.
         */
        NewTemplate: {
            /**
             * @description What callers call the template; unique in the app.
             * @example opening-hours
             */
            uid?: string | null;
            /**
             * @description Name for people. Without it, the `uid`.
             * @example Opening hours
             */
            name?: string | null;
            /** @description The document. */
            content?: {
                /**
                 * @description Version of the format.
                 * @example 1
                 * @constant
                 */
                ver: 1;
                /**
                 * @description The shape on the screen with what is in it.
                 * @example {
                 *       "type": "alert",
                 *       "nodes": [
                 *         {
                 *           "type": "heading",
                 *           "text": "{{Title}}"
                 *         },
                 *         {
                 *           "type": "button",
                 *           "text": "OK",
                 *           "actions": [
                 *             {
                 *               "type": "closeMessage"
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                frame: {
                    [key: string]: unknown;
                };
                /**
                 * @description Font, colour, direction and language for the whole document.
                 * @example {
                 *       "dir": "auto"
                 *     }
                 */
                defaults?: {
                    [key: string]: unknown;
                };
            } | null;
            /** @description The dynamic tags of the document. */
            tags?: {
                /**
                 * @description Name of the tag: `{{Title}}` in the document.
                 * @example Title
                 */
                title: string;
                /**
                 * @description What its values are.
                 * @example text
                 * @enum {unknown}
                 */
                type: "text" | "url" | "image" | "color" | "number";
                /**
                 * @description Whether a message must have a value for it, unless there is a default.
                 * @default true
                 * @example true
                 */
                required: boolean;
                /**
                 * @description The value where a message has none.
                 * @example Closed today
                 */
                default?: string | number;
            }[] | null;
            /**
             * @description Values for a preview, by title of the tag.
             * @example {
             *       "Title": "Closed on Monday"
             *     }
             */
            sample?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The starter to copy, instead of `content`.
             * @example rating
             * @enum {string|null}
             */
            starter?: "welcome" | "announcement" | "promotion" | "permission" | "rating" | null;
            /**
             * @description Ignored, so that an exported template can be sent back.
             * @example 1
             */
            appId?: unknown;
            /**
             * @description Ignored, so that an exported template can be sent back.
             * @example 1
             */
            version?: unknown;
            /**
             * @description Ignored, so that an exported template can be sent back.
             * @example 2026-03-01 12:00:00
             */
            createdAt?: unknown;
            /**
             * @description Ignored, so that an exported template can be sent back.
             * @example 2026-03-01 12:30:00
             */
            updatedAt?: unknown;
        };
        /**
         * Template
         * @description A template with its newest version.
         */
        Template: {
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number;
            /**
             * @description What callers call the template; unique in the app.
             * @example opening-hours
             */
            uid: string;
            /**
             * @description Name for people.
             * @example Opening hours
             */
            name: string;
            /**
             * @description Number of the version, from 1.
             * @example 2
             */
            version: number;
            /** @description The document. */
            content: components["schemas"]["ContentDocument"];
            /** @description The dynamic tags of the document. */
            tags: components["schemas"]["TemplateTag"][];
            /**
             * @description Values for a preview, by title of the tag.
             * @example {
             *       "Title": "Closed on Monday"
             *     }
             */
            sample: {
                [key: string]: unknown;
            };
            /**
             * @description When it was created. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:00:00
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:30:00
             */
            updatedAt: string;
        };
        /**
         * ContentDocument
         * @description What a message shows; see `docs/templates.md`.
         */
        ContentDocument: {
            /**
             * @description Version of the format.
             * @example 1
             * @constant
             */
            ver: 1;
            /** @description The shape on the screen with what is in it. */
            frame: components["schemas"]["Frame"];
            /**
             * @description Font, colour, direction and language for the whole document.
             * @example {
             *       "dir": "auto"
             *     }
             */
            defaults?: {
                [key: string]: unknown;
            };
        };
        /**
         * Frame
         * @description The shape on the screen with what is in it.
         */
        Frame: {
            /**
             * @description The shape.
             * @example alert
             * @enum {string}
             */
            type: "fullscreen" | "inset" | "alert";
            /** @description Texts, pictures, videos and buttons, from top to bottom. */
            nodes: components["schemas"]["FrameNode"][];
            /** @description What lies behind the nodes, from back to front. */
            backgroundLayers?: components["schemas"]["FrameLayer"][];
            /**
             * @description Where the nodes are stacked from. Default `centered`.
             * @example centered
             * @enum {string}
             */
            stackingGravity?: "centered" | "top-down" | "bottom-up";
            /**
             * @description Where the close button is. Default `top-right`.
             * @example top-right
             * @enum {string}
             */
            closeButton?: "top-left" | "top-right" | "none";
            /**
             * @description How it appears. Default `slide` for an inset, else `fade`.
             * @example fade
             * @enum {string}
             */
            animation?: "fade" | "slide" | "none";
        };
        /**
         * FrameNode
         * @description A text, picture, video or button.
         */
        FrameNode: {
            /**
             * @description What it is. The other members depend on it.
             * @example heading
             * @enum {string}
             */
            type: "heading" | "subheading" | "text" | "image" | "video" | "button";
        } & {
            [key: string]: unknown;
        };
        /**
         * FrameLayer
         * @description A colour, gradient, picture or video.
         */
        FrameLayer: {
            /**
             * @description What it is. The other members depend on it.
             * @example color
             * @enum {string}
             */
            type: "color" | "gradient" | "image" | "video";
        } & {
            [key: string]: unknown;
        };
        /**
         * TemplateTag
         * @description A place in a template that each message fills.
         */
        TemplateTag: {
            /**
             * @description Name of the tag: `{{Title}}` in the document.
             * @example Title
             */
            title: string;
            /**
             * @description What its values are.
             * @example text
             * @enum {string}
             */
            type: "text" | "url" | "image" | "color" | "number";
            /**
             * @description Whether a message must have a value for it, unless there is a default.
             * @example true
             */
            required: boolean;
            /**
             * @description The value where a message has none.
             * @example Closed today
             */
            default?: string | number;
        };
        /**
         * TemplateLinePage
         * @description One page of templates.
         */
        TemplateLinePage: {
            /** @description The templates of this page. */
            templates: components["schemas"]["TemplateLine"][];
            /**
             * @description The `after` of the next page. Null on the last page.
             * @example 51
             */
            next: number | null;
        };
        /**
         * TemplateLine
         * @description A template without its document.
         */
        TemplateLine: {
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number;
            /**
             * @description What callers call the template; unique in the app.
             * @example opening-hours
             */
            uid: string;
            /**
             * @description Name for people.
             * @example Opening hours
             */
            name: string;
            /**
             * @description Number of the version, from 1.
             * @example 2
             */
            version: number;
            /**
             * @description When it was created. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:00:00
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:30:00
             */
            updatedAt: string;
        };
        /**
         * TemplateChange
         * @description What changes about a template.
         */
        TemplateChange: {
            /**
             * @description What callers call the template; unique in the app.
             * @example opening-hours
             */
            uid?: string | null;
            /**
             * @description New name for people.
             * @example Opening hours
             */
            name?: string | null;
            /** @description The new document. */
            content?: {
                /**
                 * @description Version of the format.
                 * @example 1
                 * @constant
                 */
                ver: 1;
                /**
                 * @description The shape on the screen with what is in it.
                 * @example {
                 *       "type": "alert",
                 *       "nodes": [
                 *         {
                 *           "type": "heading",
                 *           "text": "{{Title}}"
                 *         },
                 *         {
                 *           "type": "button",
                 *           "text": "OK",
                 *           "actions": [
                 *             {
                 *               "type": "closeMessage"
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                frame: {
                    [key: string]: unknown;
                };
                /**
                 * @description Font, colour, direction and language for the whole document.
                 * @example {
                 *       "dir": "auto"
                 *     }
                 */
                defaults?: {
                    [key: string]: unknown;
                };
            } | null;
            /** @description The dynamic tags of the document. */
            tags?: {
                /**
                 * @description Name of the tag: `{{Title}}` in the document.
                 * @example Title
                 */
                title: string;
                /**
                 * @description What its values are.
                 * @example text
                 * @enum {unknown}
                 */
                type: "text" | "url" | "image" | "color" | "number";
                /**
                 * @description Whether a message must have a value for it, unless there is a default.
                 * @default true
                 * @example true
                 */
                required: boolean;
                /**
                 * @description The value where a message has none.
                 * @example Closed today
                 */
                default?: string | number;
            }[] | null;
            /**
             * @description Values for a preview, by title of the tag.
             * @example {
             *       "Title": "Closed on Monday"
             *     }
             */
            sample?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Ignored, so that an exported template can be sent back.
             * @example 1
             */
            appId?: unknown;
            /**
             * @description Ignored, so that an exported template can be sent back.
             * @example 1
             */
            version?: unknown;
            /**
             * @description Ignored, so that an exported template can be sent back.
             * @example 2026-03-01 12:00:00
             */
            createdAt?: unknown;
            /**
             * @description Ignored, so that an exported template can be sent back.
             * @example 2026-03-01 12:30:00
             */
            updatedAt?: unknown;
        };
        /**
         * TemplateVersionLinePage
         * @description One page of versions.
         */
        TemplateVersionLinePage: {
            /** @description The versions of this page. */
            versions: components["schemas"]["TemplateVersionLine"][];
            /**
             * @description The `after` of the next page. Null on the last page.
             * @example 51
             */
            next: number | null;
        };
        /**
         * TemplateVersionLine
         * @description A version without its document.
         */
        TemplateVersionLine: {
            /**
             * @description Number of the version, from 1.
             * @example 2
             */
            version: number;
            /**
             * @description When it was created. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:00:00
             */
            createdAt: string;
        };
        /**
         * TemplateVersion
         * @description One version of a template.
         */
        TemplateVersion: {
            /**
             * @description What callers call the template; unique in the app.
             * @example opening-hours
             */
            uid: string;
            /**
             * @description Number of the version, from 1.
             * @example 2
             */
            version: number;
            /** @description The document. */
            content: components["schemas"]["ContentDocument"];
            /** @description The dynamic tags of the document. */
            tags: components["schemas"]["TemplateTag"][];
            /**
             * @description Values for a preview, by title of the tag.
             * @example {
             *       "Title": "Closed on Monday"
             *     }
             */
            sample: {
                [key: string]: unknown;
            };
            /**
             * @description When it was created. UTC, as `YYYY-MM-DD HH:MM:SS`.
             * @example 2026-03-01 12:00:00
             */
            createdAt: string;
        };
        /**
         * PreviewRequest
         * @description Values for a preview.
         */
        PreviewRequest: {
            /**
             * @description Values of the dynamic tags, by title. Absent: the `sample` of the template.
             * @example {
             *       "Title": "Closed on Monday"
             *     }
             */
            content?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * RenderedTemplate
         * @description A document as devices get it.
         */
        RenderedTemplate: {
            /**
             * @description Number of the version, from 1.
             * @example 2
             */
            version: number;
            /** @description The document with every tag replaced. */
            content: components["schemas"]["ContentDocument"];
        };
        /**
         * TemplateStarters
         * @description The templates that come with the program.
         */
        TemplateStarters: {
            /** @description The starters. */
            starters: components["schemas"]["TemplateStarter"][];
        };
        /**
         * TemplateStarter
         * @description A template that comes with the program.
         */
        TemplateStarter: {
            /**
             * @description What to call it when you create a template from it.
             * @example rating
             */
            starter: string;
            /**
             * @description Name for people.
             * @example Opening hours
             */
            name: string;
            /**
             * @description What it is good for.
             * @example Asks for a rating in the app store
             */
            summary: string;
            /** @description The dynamic tags of the document. */
            tags: components["schemas"]["TemplateTag"][];
            /**
             * @description Values for a preview, by title of the tag.
             * @example {
             *       "Title": "Closed on Monday"
             *     }
             */
            sample: {
                [key: string]: unknown;
            };
        };
        /**
         * NewGeofence
         * @description A geofence to create.
         */
        NewGeofence: {
            /**
             * @description Name for people.
             * @example Office
             */
            name: string;
            /** @description Where it is. */
            boundsGeoJson: components["schemas"]["Circle"] | components["schemas"]["Polygon"];
            /**
             * @description Whether it is enabled. Nobody is inside a disabled geofence.
             * @example true
             */
            isEnabled?: boolean | null;
            /**
             * @description Tags by which notifications can target it.
             * @example [
             *       "work"
             *     ]
             */
            tags?: string[] | null;
        };
        /**
         * Circle
         * @description A GeoJSON Feature that is a circle.
         */
        Circle: {
            /**
             * @description Always `Feature`.
             * @example Feature
             * @constant
             */
            type: "Feature";
            /** @description The shape. */
            geometry: {
                /**
                 * @description Kind of shape.
                 * @example Point
                 * @constant
                 */
                type: "Point";
                /**
                 * @description The centre: longitude, latitude.
                 * @example [
                 *       13.4,
                 *       52.5
                 *     ]
                 */
                coordinates: [
                    number,
                    number
                ];
            } & {
                [key: string]: unknown;
            };
            /** @description What the shape needs besides its coordinates. */
            properties: {
                /**
                 * @description Radius in metres.
                 * @example 250
                 */
                radius: number;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /**
         * Polygon
         * @description A GeoJSON Feature that is a polygon.
         */
        Polygon: {
            /**
             * @description Always `Feature`.
             * @example Feature
             * @constant
             */
            type: "Feature";
            /** @description The shape. */
            geometry: {
                /**
                 * @description Kind of shape.
                 * @example Polygon
                 * @constant
                 */
                type: "Polygon";
                /**
                 * @description Rings of positions (longitude, latitude), the outer one first. The last position of a ring repeats the first.
                 * @example [
                 *       [
                 *         [
                 *           13.4,
                 *           52.5
                 *         ],
                 *         [
                 *           13.5,
                 *           52.5
                 *         ],
                 *         [
                 *           13.5,
                 *           52.6
                 *         ],
                 *         [
                 *           13.4,
                 *           52.5
                 *         ]
                 *       ]
                 *     ]
                 */
                coordinates: [
                    number,
                    number
                ][][];
            } & {
                [key: string]: unknown;
            };
            /** @description What the shape needs besides its coordinates. */
            properties: {
                /**
                 * @description Indexes of the positions of the outer ring, in the order in which a person set them.
                 * @example [
                 *       0,
                 *       1,
                 *       2
                 *     ]
                 */
                orderAdded: number[];
                /**
                 * @description Where an editor shows the marker: latitude, longitude.
                 * @example [
                 *       52.5,
                 *       13.4
                 *     ]
                 */
                markerLocation?: [
                    number,
                    number
                ];
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        /**
         * Geofence
         * @description A circle or polygon on the map.
         */
        Geofence: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description Name for people.
             * @example Office
             */
            name: string;
            /**
             * @description Whether it is enabled. Nobody is inside a disabled geofence.
             * @example true
             */
            isEnabled: boolean;
            /** @description Where it is. */
            boundsGeoJson: components["schemas"]["Circle"] | components["schemas"]["Polygon"];
            /**
             * @description Tags by which notifications can target it.
             * @example [
             *       "work"
             *     ]
             */
            tags: string[];
            /**
             * @description How often it was entered since it was created.
             * @example 12
             */
            activationCount: number;
            /**
             * @description Number of users inside, by their last known position.
             * @example 3
             */
            activeUsers: number;
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
        };
        /**
         * GeofencePage
         * @description One page of geofences.
         */
        GeofencePage: {
            /** @description The geofences of this page. */
            geofences: components["schemas"]["Geofence"][];
            /**
             * @description The `after` of the next page. Null on the last page.
             * @example 51
             */
            next: number | null;
        };
        /**
         * GeofenceChange
         * @description What changes about a geofence.
         */
        GeofenceChange: {
            /**
             * @description New name for people.
             * @example Office
             */
            name?: string | null;
            /** @description Where it is. */
            boundsGeoJson?: components["schemas"]["Circle"] | components["schemas"]["Polygon"] | null;
            /**
             * @description Whether it is enabled. Nobody is inside a disabled geofence.
             * @example true
             */
            isEnabled?: boolean | null;
            /**
             * @description Tags by which notifications can target it.
             * @example [
             *       "work"
             *     ]
             */
            tags?: string[] | null;
        };
        /**
         * Restraint
         * @description The rules of an app for its sends and its devices.
         */
        Restraint: {
            /** @description Hours in which installs get nothing. Null: no quiet hours. */
            quietHours: components["schemas"]["QuietHours"] | null;
            /** @description How many notifications an install may get. Null: any number. */
            frequencyCap: components["schemas"]["FrequencyCap"] | null;
            /**
             * @description Sends to more recipients than this must name `confirm`. Null: never.
             * @example 10000
             */
            confirmAbove: number | null;
            /**
             * @description Who sees channels that devices create: everyone (`public`) or subscribers (`private`).
             * @example private
             * @enum {string}
             */
            deviceChannels: "private" | "public";
        };
        /**
         * QuietHours
         * @description Hours in which installs get nothing, in their own time zone.
         */
        QuietHours: {
            /**
             * @description Start, as `HH:MM` of the local day.
             * @example 22:00
             */
            from: string;
            /**
             * @description End, as `HH:MM` of the local day.
             * @example 07:00
             */
            to: string;
            /**
             * @description `hold` sends when the quiet hours end; `drop`, the default, leaves the recipients out.
             * @example hold
             * @constant
             */
            then?: "hold";
        };
        /**
         * FrequencyCap
         * @description How many notifications an install may get.
         */
        FrequencyCap: {
            /**
             * @description Maximum number of notifications.
             * @example 5
             */
            count: number;
            /**
             * @description Period in hours.
             * @example 24
             */
            hours: number;
        };
        /**
         * RestraintChange
         * @description The rules to set.
         */
        RestraintChange: {
            /** @description Hours in which installs get nothing. Null: no quiet hours. */
            quietHours?: {
                /**
                 * @description Start, as `HH:MM` of the local day.
                 * @example 22:00
                 */
                from: string;
                /**
                 * @description End, as `HH:MM` of the local day.
                 * @example 07:00
                 */
                to: string;
                /**
                 * @description `hold` sends when the quiet hours end; `drop`, the default, leaves the recipients out.
                 * @example hold
                 * @enum {string|null}
                 */
                then?: "drop" | "hold" | null;
            } | null;
            /** @description How many notifications an install may get. Null: any number. */
            frequencyCap?: {
                /**
                 * @description Maximum number of notifications.
                 * @example 5
                 */
                count: number;
                /**
                 * @description Period in hours.
                 * @example 24
                 */
                hours: number;
            } | null;
            /**
             * @description Sends to more recipients than this must name `confirm`. Null: never.
             * @example 10000
             */
            confirmAbove?: number | null;
            /**
             * @description Who sees channels that devices create: everyone (`public`) or subscribers (`private`).
             * @example private
             * @enum {string|null}
             */
            deviceChannels?: "private" | "public" | null;
        };
        /**
         * NewWebhook
         * @description A webhook to create.
         */
        NewWebhook: {
            /**
             * @description Where the events go: https.
             * @example https://example.com/hooks
             */
            url: string;
            /**
             * @description Types of the events that are sent. Null means all.
             * @example [
             *       "k.message.opened"
             *     ]
             */
            types?: string[] | null;
            /**
             * @description What is sent besides events: `deliveries` are the pages of notifications as they close.
             * @example [
             *       "deliveries"
             *     ]
             */
            include?: "deliveries"[] | null;
            /** @description How many events one request has. */
            batch?: {
                /**
                 * @description Maximum number of events in one request. Above 1, every message is a batch.
                 * @example 100
                 */
                max?: number | null;
                /**
                 * @description How long a batch that is not full waits for more events (ms).
                 * @example 2000
                 */
                waitMs?: number | null;
            } | null;
        };
        /**
         * CreatedWebhook
         * @description A webhook with its new secret.
         */
        CreatedWebhook: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number;
            /**
             * Format: iri-reference
             * @description Where the events go.
             * @example https://example.com/hooks
             */
            url: string;
            /**
             * @description Types of the events that are sent. Null means all.
             * @example [
             *       "k.message.opened"
             *     ]
             */
            types: string[] | null;
            /**
             * @description What is sent besides events: `deliveries` are the pages of notifications as they close.
             * @example [
             *       "deliveries"
             *     ]
             */
            include?: "deliveries"[];
            /** @description How many events one request has. */
            batch: components["schemas"]["WebhookBatch"];
            /**
             * @description Whether events are sent.
             * @example true
             */
            enabled: boolean;
            /**
             * @description `failing`: the last attempt failed, and the message comes again.
             * @example on
             * @enum {string}
             */
            state: "on" | "failing" | "off";
            /**
             * @description Why it is off. Null while it is on.
             * @example null
             */
            offReason: string | null;
            /**
             * @description When the first of the failures that go on happened. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            failingSince: string | null;
            /**
             * @description When the oldest event was received that it has not got. Null: it has got all. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            waitingSince: string | null;
            /**
             * @description The end of the secret.
             * @example …jlA=
             */
            secretHint: string;
            /**
             * @description Until when the secret before signs as well. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            formerSecretUntil: string | null;
            /** @description The replay that is under way; null when there is none. */
            replay: components["schemas"]["WebhookReplay"] | null;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
            /**
             * @description The key for verifying signatures. It is not shown again.
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDMfrKTzpNjlA=
             */
            secret: string;
        };
        /**
         * WebhookBatch
         * @description How many events one request has.
         */
        WebhookBatch: {
            /**
             * @description Maximum number of events in one request. Above 1, every message is a batch.
             * @example 100
             */
            max: number;
            /**
             * @description How long a batch that is not full waits for more events (ms).
             * @example 2000
             */
            waitMs: number;
        };
        /**
         * WebhookReplay
         * @description The replay that is under way.
         */
        WebhookReplay: {
            /**
             * @description The time from which it sends; null when it began behind an event. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-20T00:00:00+0000
             */
            from: string | null;
            /**
             * @description The time up to which it sends; null when it ends with an event. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            to: string | null;
        };
        /**
         * Webhooks
         * @description All webhooks of an app.
         */
        Webhooks: {
            /** @description The webhooks. */
            webhooks: components["schemas"]["Webhook"][];
        };
        /**
         * Webhook
         * @description An address to which events are sent.
         */
        Webhook: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description The app that it belongs to.
             * @example 1
             */
            appId: number;
            /**
             * Format: iri-reference
             * @description Where the events go.
             * @example https://example.com/hooks
             */
            url: string;
            /**
             * @description Types of the events that are sent. Null means all.
             * @example [
             *       "k.message.opened"
             *     ]
             */
            types: string[] | null;
            /**
             * @description What is sent besides events: `deliveries` are the pages of notifications as they close.
             * @example [
             *       "deliveries"
             *     ]
             */
            include?: "deliveries"[];
            /** @description How many events one request has. */
            batch: components["schemas"]["WebhookBatch"];
            /**
             * @description Whether events are sent.
             * @example true
             */
            enabled: boolean;
            /**
             * @description `failing`: the last attempt failed, and the message comes again.
             * @example on
             * @enum {string}
             */
            state: "on" | "failing" | "off";
            /**
             * @description Why it is off. Null while it is on.
             * @example null
             */
            offReason: string | null;
            /**
             * @description When the first of the failures that go on happened. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            failingSince: string | null;
            /**
             * @description When the oldest event was received that it has not got. Null: it has got all. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            waitingSince: string | null;
            /**
             * @description The end of the secret.
             * @example …jlA=
             */
            secretHint: string;
            /**
             * @description Until when the secret before signs as well. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            formerSecretUntil: string | null;
            /** @description The replay that is under way; null when there is none. */
            replay: components["schemas"]["WebhookReplay"] | null;
            /**
             * @description When it was created. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            createdAt: string;
            /**
             * @description When it last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:30:00+0000
             */
            updatedAt: string;
        };
        /**
         * WebhookChange
         * @description What to change.
         */
        WebhookChange: {
            /**
             * @description Where the events go: https.
             * @example https://example.com/hooks
             */
            url?: string | null;
            /**
             * @description Types of the events that are sent. Null means all.
             * @example [
             *       "k.message.opened"
             *     ]
             */
            types?: string[] | null;
            /**
             * @description What is sent besides events: `deliveries` are the pages of notifications as they close.
             * @example [
             *       "deliveries"
             *     ]
             */
            include?: "deliveries"[] | null;
            /** @description How many events one request has. */
            batch?: {
                /**
                 * @description Maximum number of events in one request. Above 1, every message is a batch.
                 * @example 100
                 */
                max?: number | null;
                /**
                 * @description How long a batch that is not full waits for more events (ms).
                 * @example 2000
                 */
                waitMs?: number | null;
            } | null;
            /**
             * @description Whether events are sent.
             * @example true
             */
            enabled?: boolean | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * SecretRotation
         * @description How to change over.
         */
        SecretRotation: {
            /**
             * @description How long the secret before signs as well.
             * @default 86400
             * @example 86400
             */
            overlapSeconds: number | null;
        };
        /**
         * EventReplay
         * @description Which events to send once more.
         */
        EventReplay: {
            /**
             * @description A time, or the id of an event behind which it begins.
             * @example 2026-11-20T00:00:00Z
             */
            from: string;
            /**
             * @description A time, or the id of the last event. Absent: up to now.
             * @example 2026-11-21T00:00:00Z
             */
            to?: string | null;
        };
        /**
         * WebhookAttemptPage
         * @description One page of attempts.
         */
        WebhookAttemptPage: {
            /** @description The requests, the newest first. */
            attempts: components["schemas"]["WebhookAttempt"][];
            /**
             * @description The `after` of the next page. Null on the last page.
             * @example 51
             */
            next: number | null;
        };
        /**
         * WebhookAttempt
         * @description One request and what came of it.
         */
        WebhookAttempt: {
            /**
             * @description Unique number.
             * @example 7
             */
            id: number;
            /**
             * @description When it ended. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-21T09:30:00+0000
             */
            at: string;
            /**
             * @description The header `webhook-id` of the message: the same for all its attempts.
             * @example evt_7_2n-2r
             */
            webhookId: string;
            /**
             * @description 1 is the first.
             * @example 1
             */
            attempt: number;
            /**
             * @description How many events the message had.
             * @example 12
             */
            events: number;
            /**
             * @description Whether it was part of a replay.
             * @example false
             */
            replay: boolean;
            /**
             * @description Status of the answer. Null: there was none.
             * @example 200
             */
            status: number | null;
            /**
             * @description Why it failed. Null: it did not.
             * @example null
             */
            reason: string | null;
            /**
             * @description How long the endpoint took (ms).
             * @example 81
             */
            tookMs: number;
        };
        /**
         * EventPage
         * @description Events in the order in which they were stored.
         */
        EventPage: {
            /** @description The events, oldest first. */
            events: components["schemas"]["LoggedEvent"][];
            /**
             * @description The `after` of the next call.
             * @example 00000000000000000000q8
             */
            next: string;
        };
        /**
         * LoggedEvent
         * @description An event of the log.
         */
        LoggedEvent: {
            /**
             * @description Position in the log: can be sent as `after`.
             * @example 00000000000000000000q8
             */
            id: string;
            /**
             * @description Type of the event. `k.…` are reported by SDKs.
             * @example order.paid
             */
            type: string;
            /**
             * Format: date-time
             * @description When it happened. UTC with milliseconds, RFC 3339.
             * @example 2026-03-01T12:00:00.000Z
             */
            timestamp: string;
            /**
             * Format: date-time
             * @description When this server stored it. UTC with milliseconds, RFC 3339.
             * @example 2026-03-01T12:00:01.250Z
             */
            receivedAt: string;
            /**
             * @description User of the event; null if none.
             * @example user-17
             */
            userId: string | null;
            /**
             * @description Install that reported it; null if no device did.
             * @example 7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10
             */
            installId: string | null;
            /**
             * @description Id that the sender gave it.
             * @example 8f14e45f-ceea-4a7e-9d5b-2f1b3c4d5e6f
             */
            uuid: string;
            /**
             * @description What the sender said, and what this server added: `reportingMeta` and `userMeta` of a notification that was opened.
             * @example {
             *       "amount": 49.9,
             *       "currency": "EUR"
             *     }
             */
            data: {
                [key: string]: unknown;
            };
        };
        /**
         * LogSettings
         * @description What enters the event log besides events.
         */
        LogSettings: {
            /**
             * @description Whether pages of notifications enter the log as they close.
             * @example true
             */
            deliveries: boolean;
        };
        /**
         * LogSettingsChange
         * @description What shall enter the event log besides events.
         */
        LogSettingsChange: {
            /**
             * @description Whether pages of notifications enter the log as they close.
             * @example true
             */
            deliveries: boolean;
        };
        /**
         * Metrics
         * @description The metrics of an app.
         */
        Metrics: {
            /** @description The metrics. */
            metrics: components["schemas"]["Metric"][];
        };
        /**
         * Metric
         * @description What is counted of the events of each user: events, or the sum of a number in them.
         */
        Metric: {
            /**
             * @description Changes when the metric begins anew.
             * @example 7
             */
            id: number;
            /**
             * @description Name of the metric, as in the field `metrics.NAME` of segments.
             * @example purchase
             */
            name: string;
            /**
             * @description Type of the events that count.
             * @example order.paid
             */
            event: string;
            /**
             * @description Which of them count; null: all.
             * @example {
             *       "field": "data.currency",
             *       "op": "equals",
             *       "value": "EUR"
             *     }
             */
            where: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The number in the data of an event that is summed; null: events are counted.
             * @example data.amount
             */
            value: string | null;
            /**
             * @description Events that were stored from then on count. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-03-01T12:00:00+0000
             */
            since: string;
        };
        /**
         * MetricRequest
         * @description What a metric counts.
         */
        MetricRequest: {
            /**
             * @description Type of the events that count.
             * @example order.paid
             */
            event: string;
            /**
             * @description Which of them count: a filter as of segments over `data.NAME`. Without it all of them.
             * @example {
             *       "field": "data.currency",
             *       "op": "equals",
             *       "value": "EUR"
             *     }
             */
            where?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The number in the data of an event that is summed. Without it, events are counted.
             * @example data.amount
             */
            value?: string | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * FieldErrors
         * @description What is wrong, by the dotted path of each field as the caller wrote it. The empty path is the whole body.
         */
        FieldErrors: {
            [key: string]: string[];
        };
        /**
         * NewOwner
         * @description The first owner.
         */
        NewOwner: {
            /**
             * @description What stands behind `#token=` in the one-time address.
             * @example once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA
             */
            token: string;
            /**
             * @description The address with which the person signs in; capitals do not matter.
             * @example anna@example.com
             */
            email: string;
            /**
             * @description The name that others see.
             * @example Anna
             */
            name: string;
            /**
             * @description At least 15 characters.
             * @example correct horse battery staple
             */
            password: string;
        };
        /**
         * AdminSession
         * @description Who is signed in, and what they may do.
         */
        AdminSession: {
            /** @description Who is signed in. */
            person: components["schemas"]["SignedInPerson"];
            /** @description What the person may do. */
            roles: components["schemas"]["AdminRole"][];
            /** @description What follows from the roles. */
            rights: components["schemas"]["AdminRights"];
            /**
             * @description Until when what asks for a fresh sign-in is allowed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            freshUntil: string | null;
            /**
             * @description When the session ends if it is not used from now on. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-30T10:00:00+0000
             */
            expires: string | null;
        };
        /**
         * SignedInPerson
         * @description The person of a session.
         */
        SignedInPerson: {
            /**
             * @description Number of the person.
             * @example 3
             */
            id: number;
            /**
             * @description The address with which the person signs in; capitals do not matter.
             * @example anna@example.com
             */
            email: string;
            /**
             * @description The name that others see.
             * @example Anna
             */
            name: string;
            /**
             * @description Whether the second factor is on.
             * @example true
             */
            hasTotp: boolean;
            /**
             * @description How many passkeys the person has.
             * @example 1
             */
            passkeys: number;
        };
        /**
         * AdminRole
         * @description A role in one app, or in the whole server and every app.
         */
        AdminRole: {
            /**
             * @description The app. Null: the whole server and every app.
             * @example 1
             */
            appId: number | null;
            /**
             * @description `viewer` sees, without personal data of users; `marketer` also sends; `operator` also operates; `owner` may do everything.
             * @example marketer
             * @enum {string}
             */
            role: "viewer" | "marketer" | "operator" | "owner";
        };
        /**
         * AdminRights
         * @description Rights in the whole server, and in each app that a role names.
         */
        AdminRights: {
            /**
             * @description In the whole server and every app.
             * @example [
             *       "self"
             *     ]
             */
            server: ("self" | "see" | "campaign" | "operate" | "own")[];
            /**
             * @description In each app that a role names, by its id.
             * @example {
             *       "1": [
             *         "self",
             *         "see",
             *         "campaign"
             *       ]
             *     }
             */
            apps: {
                [key: string]: ("self" | "see" | "campaign" | "operate" | "own")[];
            };
        };
        /**
         * SignIn
         * @description Who signs in.
         */
        SignIn: {
            /**
             * @description The address with which the person signs in; capitals do not matter.
             * @example anna@example.com
             */
            email: string;
            /**
             * @description The password.
             * @example correct horse battery staple
             */
            password: string;
            /**
             * @description A code of the authenticator app, or a recovery code. Only with a second factor.
             * @example 123456
             */
            code?: string | null;
        };
        /**
         * SignInState
         * @description How people sign in here.
         */
        SignInState: {
            /**
             * @description Nobody can sign in yet: the one-time address that `serve` prints makes the first owner.
             * @example false
             */
            setup: boolean;
            /**
             * @description Whether passkeys work at `baseUrl`.
             * @example true
             */
            passkeys: boolean;
            /**
             * @description The address of the server; empty when it is not set.
             * @example https://push.example.com
             */
            baseUrl: string;
        };
        /**
         * OneTimeSignIn
         * @description A one-time address, and what the person chooses.
         */
        OneTimeSignIn: {
            /**
             * @description What stands behind `#token=` in the one-time address.
             * @example once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA
             */
            token: string;
            /**
             * @description The name that others see.
             * @example Anna
             */
            name?: string | null;
            /**
             * @description At least 15 characters.
             * @example correct horse battery staple
             */
            password?: string | null;
        };
        /**
         * Nothing
         * @description No fields.
         */
        Nothing: Record<string, never>;
        /**
         * PasskeyOptions
         * @description What the browser needs; see WebAuthn.
         */
        PasskeyOptions: {
            [key: string]: unknown;
        };
        /**
         * PasskeySignIn
         * @description What the browser says.
         */
        PasskeySignIn: {
            /**
             * @description What the browser returned, as its `toJSON()`.
             * @example {
             *       "id": "AbCd",
             *       "rawId": "AbCd",
             *       "type": "public-key",
             *       "response": {}
             *     }
             */
            response: {
                [key: string]: unknown;
            };
        };
        /**
         * Confirmation
         * @description What proves who you are.
         */
        Confirmation: {
            /**
             * @description The password.
             * @example correct horse battery staple
             */
            password?: string | null;
            /**
             * @description A code of the authenticator app, or a recovery code. Only with a second factor.
             * @example 123456
             */
            code?: string | null;
            /**
             * @description What the browser returned, as its `toJSON()`.
             * @example {
             *       "id": "AbCd",
             *       "rawId": "AbCd",
             *       "type": "public-key",
             *       "response": {}
             *     }
             */
            response?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * OpenSessions
         * @description Your open sessions.
         */
        OpenSessions: {
            /** @description The rows. */
            items: components["schemas"]["OpenSession"][];
        };
        /**
         * OpenSession
         * @description One of your sessions.
         */
        OpenSession: {
            /**
             * @description Number of the session.
             * @example 12
             */
            id: number;
            /**
             * @description Whether it is the session of this call.
             * @example true
             */
            isCurrent: boolean;
            /**
             * @description From where the person signed in.
             * @example 192.0.2.7
             */
            address: string;
            /**
             * @description What the browser says that it is.
             * @example Mozilla/5.0
             */
            agent: string;
            /**
             * @description When the person signed in. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description The last use, to the minute. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            seen: string;
            /**
             * @description When it ends if it is not used from now on. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-30T10:00:00+0000
             */
            expires: string;
        };
        /**
         * AccountChange
         * @description What to change.
         */
        AccountChange: {
            /**
             * @description The name that others see.
             * @example Anna
             */
            name?: string | null;
            /**
             * @description The new password: at least 15 characters.
             * @example correct horse battery staple
             */
            password?: string | null;
            /**
             * @description The present password. Only with a new one.
             * @example correct horse battery staple
             */
            currentPassword?: string | null;
        };
        /**
         * SecondFactorSecret
         * @description The secret of a second factor.
         */
        SecondFactorSecret: {
            /**
             * @description The secret in Base32, for typing.
             * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
             */
            secret: string;
            /**
             * @description The same for a QR code.
             * @example otpauth://totp/appsvc%3Aanna%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=appsvc
             */
            uri: string;
        };
        /**
         * SecondFactorCode
         * @description A code of the app.
         */
        SecondFactorCode: {
            /**
             * @description The code that the app shows.
             * @example 123456
             */
            code: string;
        };
        /**
         * RecoveryCodes
         * @description Codes for when the phone is lost.
         */
        RecoveryCodes: {
            /**
             * @description Ten codes.
             * @example [
             *       "abcd-efgh-ijkl-mnop"
             *     ]
             */
            recoveryCodes: string[];
        };
        /**
         * Passkeys
         * @description Your passkeys.
         */
        Passkeys: {
            /** @description The rows. */
            items: components["schemas"]["Passkey"][];
        };
        /**
         * Passkey
         * @description A passkey.
         */
        Passkey: {
            /**
             * @description Number of the passkey.
             * @example 4
             */
            id: number;
            /**
             * @description What you call it.
             * @example Phone
             */
            name: string;
            /**
             * @description When it was added. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description The last sign-in with it. Null: none yet. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            used: string | null;
        };
        /**
         * NewPasskey
         * @description A passkey to add.
         */
        NewPasskey: {
            /**
             * @description What you call it.
             * @example Phone
             */
            name: string;
            /**
             * @description What the browser returned, as its `toJSON()`.
             * @example {
             *       "id": "AbCd",
             *       "rawId": "AbCd",
             *       "type": "public-key",
             *       "response": {}
             *     }
             */
            response: {
                [key: string]: unknown;
            };
        };
        /**
         * PersonalTokens
         * @description Your personal tokens.
         */
        PersonalTokens: {
            /** @description The rows. */
            items: components["schemas"]["PersonalToken"][];
        };
        /**
         * PersonalToken
         * @description A personal token.
         */
        PersonalToken: {
            /**
             * @description Number of the token.
             * @example 5
             */
            id: number;
            /**
             * @description What you call it.
             * @example laptop
             */
            name: string;
            /**
             * @description How it begins.
             * @example appsvc_pt_C2FV…
             */
            hint: string;
            /**
             * @description What it may do, as far as its person may.
             * @example [
             *       "see",
             *       "campaign"
             *     ]
             */
            scopes: ("see" | "campaign" | "operate" | "own" | "confirmed")[];
            /**
             * @description The only app that it opens. Null: every app of its person.
             * @example 1
             */
            appId: number | null;
            /**
             * @description When it was made. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description The last use, to the minute. Null: none yet. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            used: string | null;
            /**
             * @description When it ends by itself. Null: never. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-30T10:00:00+0000
             */
            expires: string | null;
        };
        /**
         * NewPersonalToken
         * @description A personal token to make.
         */
        NewPersonalToken: {
            /**
             * @description What you call it.
             * @example laptop
             */
            name: string;
            /**
             * @description What it may do, as far as its person may.
             * @example [
             *       "see",
             *       "campaign"
             *     ]
             */
            scopes: ("see" | "campaign" | "operate" | "own" | "confirmed")[];
            /**
             * @description The only app that it opens. Null: every app of its person.
             * @example 1
             */
            appId?: number | null;
            /**
             * @description How many days it works. Absent or null: it does not end by itself.
             * @example 90
             */
            days?: number | null;
        };
        /**
         * CreatedPersonalToken
         * @description A personal token with its text.
         */
        CreatedPersonalToken: {
            /**
             * @description Number of the token.
             * @example 5
             */
            id: number;
            /**
             * @description What you call it.
             * @example laptop
             */
            name: string;
            /**
             * @description How it begins.
             * @example appsvc_pt_C2FV…
             */
            hint: string;
            /**
             * @description What it may do, as far as its person may.
             * @example [
             *       "see",
             *       "campaign"
             *     ]
             */
            scopes: ("see" | "campaign" | "operate" | "own" | "confirmed")[];
            /**
             * @description The only app that it opens. Null: every app of its person.
             * @example 1
             */
            appId: number | null;
            /**
             * @description When it was made. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description The last use, to the minute. Null: none yet. UTC, ISO 8601 with the offset written `+0000`.
             * @example null
             */
            used: string | null;
            /**
             * @description When it ends by itself. Null: never. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-30T10:00:00+0000
             */
            expires: string | null;
            /**
             * @description The token. It is not shown again.
             * @example appsvc_pt_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA
             */
            token: string;
        };
        /**
         * AdminPage
         * @description One page of people.
         */
        AdminPage: {
            /** @description The rows. */
            items: components["schemas"]["Admin"][];
            /**
             * @description Give it as `after` for the next page. Null on the last one.
             * @example null
             */
            next: number | null;
        };
        /**
         * Admin
         * @description Somebody who may use the admin interface.
         */
        Admin: {
            /**
             * @description Number of the person.
             * @example 3
             */
            id: number;
            /**
             * @description The address with which the person signs in; capitals do not matter.
             * @example anna@example.com
             */
            email: string;
            /**
             * @description The name that others see.
             * @example Anna
             */
            name: string;
            /**
             * @description Whether the person has chosen a password.
             * @example true
             */
            hasPassword: boolean;
            /**
             * @description Whether the second factor is on.
             * @example true
             */
            hasTotp: boolean;
            /** @description What the person may do. */
            roles: components["schemas"]["AdminRole"][];
            /**
             * @description When the person was added. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
        };
        /**
         * NewAdmin
         * @description Somebody to invite.
         */
        NewAdmin: {
            /**
             * @description The address with which the person signs in; capitals do not matter.
             * @example anna@example.com
             */
            email: string;
            /**
             * @description The name that others see.
             * @example Anna
             */
            name: string;
            /** @description What the person may do. */
            roles: {
                /**
                 * @description The app. Null: the whole server and every app.
                 * @example 1
                 */
                appId?: number | null;
                /**
                 * @description `viewer` sees, without personal data of users; `marketer` also sends; `operator` also operates; `owner` may do everything.
                 * @example marketer
                 * @enum {string}
                 */
                role: "viewer" | "marketer" | "operator" | "owner";
            }[];
        };
        /**
         * CreatedAdmin
         * @description Somebody who was invited.
         */
        CreatedAdmin: {
            /**
             * @description Number of the person.
             * @example 3
             */
            id: number;
            /**
             * @description The address with which the person signs in; capitals do not matter.
             * @example anna@example.com
             */
            email: string;
            /**
             * @description The name that others see.
             * @example Anna
             */
            name: string;
            /**
             * @description Whether the person has chosen a password.
             * @example true
             */
            hasPassword: boolean;
            /**
             * @description Whether the second factor is on.
             * @example true
             */
            hasTotp: boolean;
            /** @description What the person may do. */
            roles: components["schemas"]["AdminRole"][];
            /**
             * @description When the person was added. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description The one-time address. It is not shown again.
             * @example https://push.example.com/console/link#token=once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA
             */
            link: string;
            /**
             * @description Until when it works. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            expires: string;
        };
        /**
         * RolesChange
         * @description All roles of a person.
         */
        RolesChange: {
            /** @description What the person may do. */
            roles: {
                /**
                 * @description The app. Null: the whole server and every app.
                 * @example 1
                 */
                appId?: number | null;
                /**
                 * @description `viewer` sees, without personal data of users; `marketer` also sends; `operator` also operates; `owner` may do everything.
                 * @example marketer
                 * @enum {string}
                 */
                role: "viewer" | "marketer" | "operator" | "owner";
            }[];
        };
        /**
         * OneTimeLink
         * @description An address that signs one person in, once.
         */
        OneTimeLink: {
            /**
             * @description The one-time address. It is not shown again.
             * @example https://push.example.com/console/link#token=once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA
             */
            link: string;
            /**
             * @description Until when it works. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            expires: string;
        };
        /**
         * AuditEntryPage
         * @description One page of the audit log.
         */
        AuditEntryPage: {
            /** @description The rows. */
            items: components["schemas"]["AuditEntry"][];
            /**
             * @description Give it as `after` for the next page. Null on the last one.
             * @example null
             */
            next: number | null;
        };
        /**
         * AuditEntry
         * @description Something that somebody did.
         */
        AuditEntry: {
            /**
             * @description Number of the row.
             * @example 81
             */
            id: number;
            /**
             * @description When it happened. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            at: string;
            /**
             * @description The person. Null: nobody who is known, or the command line.
             * @example 3
             */
            adminId: number | null;
            /**
             * @description The name of the person at that time.
             * @example Anna
             */
            who: string;
            /**
             * @description The role in which the person did it.
             * @example owner
             */
            role: string | null;
            /**
             * @description What was done.
             * @example admins.roles
             */
            action: string;
            /**
             * @description In which app. Null: in the whole server.
             * @example 1
             */
            appId: number | null;
            /**
             * @description What it was done to.
             * @example bert@example.com
             */
            target: string | null;
            /**
             * @description How it was before, without secrets.
             * @example {
             *       "roles": []
             *     }
             */
            before: {
                [key: string]: unknown;
            } | null;
            /**
             * @description How it was then, without secrets.
             * @example {
             *       "roles": [
             *         {
             *           "appId": 1,
             *           "role": "marketer"
             *         }
             *       ]
             *     }
             */
            after: {
                [key: string]: unknown;
            } | null;
            /**
             * @description From where.
             * @example 192.0.2.7
             */
            address: string;
        };
        /**
         * AdminApps
         * @description Apps that you have a role in.
         */
        AdminApps: {
            /** @description The rows. */
            items: components["schemas"]["AdminApp"][];
        };
        /**
         * AdminApp
         * @description An app.
         */
        AdminApp: {
            /**
             * @description Number of the app.
             * @example 1
             */
            id: number;
            /**
             * @description Name of the app, for people.
             * @example Bakery
             */
            name: string;
            /**
             * @description The first label of the host of its links.
             * @example a1f4c05d2e
             */
            linkHostLabel: string;
            /**
             * @description When it was made. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description When it was last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            updated: string;
        };
        /**
         * NewApp
         * @description An app to create.
         */
        NewApp: {
            /**
             * @description Name of the app, for people.
             * @example Bakery
             */
            name: string;
            /**
             * @description The account. Absent: the first one.
             * @example 1
             */
            accountId?: number | null;
        };
        /**
         * CreatedApp
         * @description An app with its keys.
         */
        CreatedApp: {
            /**
             * @description Number of the app.
             * @example 1
             */
            id: number;
            /**
             * @description Name of the app, for people.
             * @example Bakery
             */
            name: string;
            /**
             * @description The first label of the host of its links.
             * @example a1f4c05d2e
             */
            linkHostLabel: string;
            /**
             * @description When it was made. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description When it was last changed. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            updated: string;
            /**
             * @description Names the app in every call; it is public.
             * @example ak_…
             */
            apiKey: string;
            /**
             * @description For servers. It is not shown again.
             * @example sk_…
             */
            serverKey: string;
            /**
             * @description For the app on devices. It is not shown again.
             * @example dk_…
             */
            secretKey: string;
        };
        /**
         * LinkDays
         * @description Clicks and matches by day, platform and route.
         */
        LinkDays: {
            /** @description Oldest first. */
            days: components["schemas"]["LinkDay"][];
            /** @description By platform. */
            platforms: components["schemas"]["LinkPlatform"][];
            /** @description By route. */
            routes: components["schemas"]["LinkRoute"][];
            /** @description All days together. */
            total: components["schemas"]["LinkCounts"];
        };
        /**
         * LinkDay
         * @description A UTC day.
         */
        LinkDay: {
            /**
             * @description A UTC day.
             * @example 2026-11-23
             */
            day: string;
            /**
             * @description Visits of people.
             * @example 40
             */
            clicks: number;
            /**
             * @description Opens in the app.
             * @example 12
             */
            matches: number;
        };
        /**
         * LinkPlatform
         * @description A platform; the one with most comes first.
         */
        LinkPlatform: {
            /**
             * @description `ios`, `android`, `mobile`, `desktop`, or `unknown`.
             * @example ios
             */
            platform: string;
            /**
             * @description Visits of people.
             * @example 40
             */
            clicks: number;
            /**
             * @description Opens in the app.
             * @example 12
             */
            matches: number;
        };
        /**
         * LinkRoute
         * @description Where people were sent; the route with most comes first.
         */
        LinkRoute: {
            /**
             * @description `jumpPage`, `playStore`, `mobileWeb`, `desktopWeb`, `banner`, or `unknown`.
             * @example jumpPage
             */
            route: string;
            /**
             * @description Visits of people.
             * @example 40
             */
            clicks: number;
            /**
             * @description Opens in the app.
             * @example 12
             */
            matches: number;
        };
        /**
         * LinkCounts
         * @description Clicks and matches of all days.
         */
        LinkCounts: {
            /**
             * @description Visits of people.
             * @example 40
             */
            clicks: number;
            /**
             * @description Opens in the app.
             * @example 12
             */
            matches: number;
        };
        /**
         * FoundDeepLinks
         * @description The link that was found, or none.
         */
        FoundDeepLinks: {
            /** @description One link at most. */
            items: components["schemas"]["DeepLink"][];
            /**
             * @description Always null.
             * @example null
             */
            next: number | null;
        };
        /**
         * DeepLinkPreview
         * @description What visitors of a link get.
         */
        DeepLinkPreview: {
            /** @description What chats show. */
            card: components["schemas"]["DeepLinkCard"];
            /** @description One for each device. */
            visits: components["schemas"]["PreviewedVisit"][];
        };
        /**
         * DeepLinkCard
         * @description What chats show of a link: the Open Graph data of its page.
         */
        DeepLinkCard: {
            /**
             * @description Its title, or an invitation to open it in the app.
             * @example Spring sale
             */
            title: string;
            /**
             * @description Its text; null if there is none.
             * @example All shoes half price
             */
            description: string | null;
            /**
             * @description Name of the app.
             * @example Shop
             */
            siteName: string;
            /**
             * Format: iri-reference
             * @description The short link.
             * @example https://go.example.com/spring-sale
             */
            url: string;
            /**
             * Format: iri-reference
             * @description The icon of the app; null if there is none.
             * @example null
             */
            image: string | null;
        };
        /**
         * PreviewedVisit
         * @description Where people with such a device come.
         */
        PreviewedVisit: {
            /**
             * @description The device.
             * @example ios
             * @enum {string}
             */
            device: "ios" | "android" | "desktop";
            /**
             * @description `page` for the jump page, whose main button leads to `url`.
             * @example page
             * @enum {string}
             */
            leadsTo: "page" | "redirect";
            /**
             * Format: iri-reference
             * @description Where it leads.
             * @example https://apps.apple.com/app/id1234567890
             */
            url: string;
        };
        /**
         * DomainCheck
         * @description What Apple and Google would find.
         */
        DomainCheck: {
            /**
             * Format: iri-reference
             * @description What every short link of the app begins with.
             * @example https://go.example.com
             */
            links: string;
            /**
             * @description The host that was checked; null if phones give no app to the links.
             * @example go.example.com
             */
            domain: string | null;
            /**
             * @description Whether nothing is left to do.
             * @example true
             */
            isHealthy: boolean;
            /** @description In the order of the check. */
            findings: components["schemas"]["DomainFinding"][];
        };
        /**
         * DomainFinding
         * @description One finding, with its remedy.
         */
        DomainFinding: {
            /**
             * @description How bad it is.
             * @example ok
             * @enum {string}
             */
            level: "ok" | "warning" | "error";
            /**
             * @description What was found.
             * @example go.example.com resolves, and its certificate is trusted
             */
            what: string;
            /**
             * @description What to do about it.
             * @example create a DNS record for go.example.com
             */
            remedy?: string;
        };
        /**
         * BannerFiles
         * @description All banners of the app.
         */
        BannerFiles: {
            /** @description The banners. */
            items: components["schemas"]["BannerFile"][];
            /**
             * @description Always null.
             * @example null
             */
            next: number | null;
        };
        /**
         * BannerFile
         * @description A banner as its file has it, with every default.
         */
        BannerFile: {
            /**
             * @description Unique identifier.
             * @example 0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10
             */
            uuid: string;
            /**
             * @description Slug of the link that it opens.
             * @example spring-sale
             */
            link: string;
            /**
             * @description Edge of the page.
             * @example bottom
             * @enum {string}
             */
            position: "top" | "bottom";
            /** @description When the banner shows. */
            trigger: components["schemas"]["BannerTrigger"];
            /**
             * Format: iri-reference
             * @description A picture.
             * @example https://example.com/picture.png
             */
            imageUrl?: string;
            /** @description Texts. */
            labels: components["schemas"]["BannerLabels"];
            /** @description Colours. */
            colors: components["schemas"]["BannerColors"];
            /** @description The rating that is shown. */
            appRating?: components["schemas"]["AppRating"];
            /** @description What the buttons do. */
            uiActions: components["schemas"]["BannerFileActions"];
            /**
             * @description When it was made. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description When it was changed last. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            updated: string;
        };
        /**
         * BannerFileActions
         * @description What the second button does.
         */
        BannerFileActions: {
            /** @description The second button. */
            decline: components["schemas"]["BannerDecline"];
        };
        /**
         * NewBanner
         * @description A banner to create.
         */
        NewBanner: {
            /**
             * @description Slug of the link that it opens.
             * @example spring-sale
             */
            link: string;
            /** @description Texts. */
            labels: {
                /**
                 * @description First line.
                 * @example Get the app
                 */
                heading: string;
                /**
                 * @description Second line.
                 * @example All offers in your pocket
                 */
                body: string;
                /**
                 * @description Label of the button that leads to the app.
                 * @example Open
                 */
                acceptAction: string;
                /**
                 * @description Label of the button that closes it.
                 * @example Later
                 */
                declineAction: string;
            };
            /**
             * @description Edge of the page.
             * @example bottom
             * @enum {string|null}
             */
            position?: "top" | "bottom" | null;
            /** @description When the banner shows. */
            trigger?: {
                /**
                 * @description Type of the event.
                 * @example k.pageViewed
                 */
                event: string;
                /**
                 * @description Delay in seconds.
                 * @example 5
                 */
                afterSeconds?: number | null;
                /**
                 * @description The target as the caller gave it, without what was empty or false.
                 * @example {
                 *       "broadcast": true
                 *     }
                 */
                filters?: unknown;
            } | null;
            /**
             * Format: uri
             * @description A picture. An absolute https or http URL.
             * @example https://example.com/picture.png
             */
            imageUrl?: string | null;
            /** @description Colours. */
            colors?: {
                /**
                 * @description Colour of the text.
                 * @example #1b2129
                 */
                fg?: string | null;
                /**
                 * @description Colour of the background.
                 * @example #ffffff
                 */
                bg?: string | null;
                /**
                 * @description Text of the second button.
                 * @example #5a6573
                 */
                declineActionFg?: string | null;
                /**
                 * @description Background of the second button.
                 * @example #f6f7f9
                 */
                declineActionBg?: string | null;
                /**
                 * @description Text of the first button.
                 * @example #ffffff
                 */
                acceptActionFg?: string | null;
                /**
                 * @description Background of the first button.
                 * @example #1753d8
                 */
                acceptActionBg?: string | null;
                /**
                 * @description Colour of the rating.
                 * @example #b26a00
                 */
                ratingFg?: string | null;
            } | null;
            /** @description The rating that is shown. */
            appRating?: {
                /**
                 * @description Stars, 0 to 5.
                 * @example 4.6
                 */
                rating: number;
                /**
                 * @description Number of ratings.
                 * @example 1204
                 */
                ratingCount: number;
            } | null;
            /** @description What the buttons do. */
            uiActions?: {
                /** @description The second button. */
                decline?: {
                    /**
                     * @description Type of the event. Those of the SDK begin with `k.`.
                     * @example k.push.opened
                     * @enum {string}
                     */
                    type: "decline" | "remind";
                    /** @description How long it stays away. */
                    delay?: {
                        /**
                         * @description Number of units.
                         * @example 7
                         */
                        duration: number;
                        /**
                         * @description Hours or days.
                         * @example days
                         * @enum {string}
                         */
                        timeUnit: "hours" | "days";
                    } | null;
                } | null;
            } | null;
        };
        /**
         * BannerChange
         * @description What changes about a banner.
         */
        BannerChange: {
            /**
             * @description Slug of the link that it opens.
             * @example spring-sale
             */
            link?: string | null;
            /** @description Texts. */
            labels?: {
                /**
                 * @description First line.
                 * @example Get the app
                 */
                heading: string;
                /**
                 * @description Second line.
                 * @example All offers in your pocket
                 */
                body: string;
                /**
                 * @description Label of the button that leads to the app.
                 * @example Open
                 */
                acceptAction: string;
                /**
                 * @description Label of the button that closes it.
                 * @example Later
                 */
                declineAction: string;
            } | null;
            /**
             * @description Edge of the page.
             * @example bottom
             * @enum {string|null}
             */
            position?: "top" | "bottom" | null;
            /** @description When the banner shows. */
            trigger?: {
                /**
                 * @description Type of the event.
                 * @example k.pageViewed
                 */
                event: string;
                /**
                 * @description Delay in seconds.
                 * @example 5
                 */
                afterSeconds?: number | null;
                /**
                 * @description The target as the caller gave it, without what was empty or false.
                 * @example {
                 *       "broadcast": true
                 *     }
                 */
                filters?: unknown;
            } | null;
            /**
             * Format: uri
             * @description A picture. An absolute https or http URL.
             * @example https://example.com/picture.png
             */
            imageUrl?: string | null;
            /** @description Colours. */
            colors?: {
                /**
                 * @description Colour of the text.
                 * @example #1b2129
                 */
                fg?: string | null;
                /**
                 * @description Colour of the background.
                 * @example #ffffff
                 */
                bg?: string | null;
                /**
                 * @description Text of the second button.
                 * @example #5a6573
                 */
                declineActionFg?: string | null;
                /**
                 * @description Background of the second button.
                 * @example #f6f7f9
                 */
                declineActionBg?: string | null;
                /**
                 * @description Text of the first button.
                 * @example #ffffff
                 */
                acceptActionFg?: string | null;
                /**
                 * @description Background of the first button.
                 * @example #1753d8
                 */
                acceptActionBg?: string | null;
                /**
                 * @description Colour of the rating.
                 * @example #b26a00
                 */
                ratingFg?: string | null;
            } | null;
            /** @description The rating that is shown. */
            appRating?: {
                /**
                 * @description Stars, 0 to 5.
                 * @example 4.6
                 */
                rating: number;
                /**
                 * @description Number of ratings.
                 * @example 1204
                 */
                ratingCount: number;
            } | null;
            /** @description What the buttons do. */
            uiActions?: {
                /** @description The second button. */
                decline?: {
                    /**
                     * @description Type of the event. Those of the SDK begin with `k.`.
                     * @example k.push.opened
                     * @enum {string}
                     */
                    type: "decline" | "remind";
                    /** @description How long it stays away. */
                    delay?: {
                        /**
                         * @description Number of units.
                         * @example 7
                         */
                        duration: number;
                        /**
                         * @description Hours or days.
                         * @example days
                         * @enum {string}
                         */
                        timeUnit: "hours" | "days";
                    } | null;
                } | null;
            } | null;
        };
        /**
         * WebPromptFiles
         * @description All web prompts of the app.
         */
        WebPromptFiles: {
            /** @description The prompts. */
            items: components["schemas"]["WebPromptFile"][];
            /**
             * @description Always null.
             * @example null
             */
            next: number | null;
        };
        /**
         * WebPromptFile
         * @description A web prompt.
         */
        WebPromptFile: {
            /**
             * @description Its name, unique in the app.
             * @example welcome
             */
            name: string;
            /**
             * @description Unique identifier.
             * @example 0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10
             */
            uuid: string;
            /**
             * @description `bell`: a button in a corner, `alert`: a box, `banner`: a strip.
             * @example bell
             * @enum {string}
             */
            type: "bell" | "alert" | "banner";
            /**
             * @description Its file, with every default.
             * @example {
             *       "type": "bell",
             *       "trigger": {
             *         "event": "k.pageViewed",
             *         "afterSeconds": 5
             *       }
             *     }
             */
            design: {
                [key: string]: unknown;
            };
            /**
             * @description When it was made. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            created: string;
            /**
             * @description When it was changed last. UTC, ISO 8601 with the offset written `+0000`.
             * @example 2026-11-23T10:00:00+0000
             */
            updated: string;
        };
        /**
         * NewWebPrompt
         * @description The file of a web prompt.
         */
        NewWebPrompt: {
            [key: string]: unknown;
        };
        /**
         * WebPromptChange
         * @description What changes about a web prompt.
         */
        WebPromptChange: {
            [key: string]: unknown;
        };
        /**
         * Error
         * @description A request that failed.
         */
        Error: {
            /**
             * @description One sentence that a person can act on.
             * @example there is no channel 7
             */
            error: string;
        };
        /**
         * Invalid
         * @description An invalid request.
         */
        Invalid: {
            /**
             * @description Always the same.
             * @example validation failed
             * @constant
             */
            error: "validation failed";
            /** @description What is wrong, by field. */
            errors: components["schemas"]["FieldErrors"];
        };
        /**
         * Refusal
         * @description Why the call was refused.
         */
        Refusal: {
            /**
             * @description Why the call was refused.
             * @example a code of your authenticator app, or a recovery code, is needed too
             */
            error: string;
            /**
             * @description The same in a word, for programs.
             * @example second_factor
             */
            code?: string;
        };
    };
    responses: {
        /** @description Nobody is signed in, or the personal token is wrong or over */
        SignInFirst: {
            headers: {
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description The person may not do this here, the page that calls is of another origin, or (`code` is `confirm_sign_in`) the sign-in is not fresh */
        NotAllowed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Refusal"];
            };
        };
        /** @description The first request with this `Idempotency-Key` is still running, or another record is in the way */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body exceeds the `limits.*` setting of this operation */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The operation does not take this `Content-Type`, or the body is compressed */
        UnsupportedMedia: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request is invalid; the body names every wrong field */
        Invalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "validation failed",
                 *       "errors": {
                 *         "content.title": [
                 *           "is required"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Invalid"];
            };
        };
        /** @description Too many requests with wrong keys came from this address. Valid keys are never refused */
        TooMany: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service cannot answer now, for example because the database is unreachable */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other failure */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
         * @example c1f4d5e2-order-1007
         */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The scheme in which credentials are expected.
         * @example Basic realm="appsvc", charset="UTF-8"
         */
        WwwAuthenticate: string;
        /**
         * @description How many seconds to wait before the next attempt.
         * @example 30
         */
        RetryAfter: string;
        /**
         * @description `true` when this is the stored answer to an earlier request with the same `Idempotency-Key`.
         * @example true
         */
        IdempotencyReplayed: "true";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postAdminV1Setup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA",
                 *       "email": "anna@example.com",
                 *       "name": "Anna",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["NewOwner"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description The one-time address was used already or is too old */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            403: components["responses"]["NotAllowed"];
            /** @description The server has an owner already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": []
                     *     }
                     */
                    "application/json": components["schemas"]["OpenSessions"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1Sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "anna@example.com",
                 *       "password": "correct horse battery staple",
                 *       "code": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description Wrong address or password, or (`code` is `second_factor`) a code is needed */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1State: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "setup": false,
                     *       "passkeys": true,
                     *       "baseUrl": "https://push.example.com"
                     *     }
                     */
                    "application/json": components["schemas"]["SignInState"];
                };
            };
            /** @description The admin interface is off, or answers elsewhere */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionsLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["OneTimeSignIn"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description The one-time address was used already or is too old */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionsPasskeyOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "challenge": "bWFrZS0x",
                     *       "timeout": 300000,
                     *       "rpId": "push.example.com"
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            403: components["responses"]["NotAllowed"];
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionsPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "response": {
                 *         "id": "AbCd",
                 *         "rawId": "AbCd",
                 *         "type": "public-key",
                 *         "response": {}
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PasskeySignIn"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /**
                     * @description The session, for a browser.
                     * @example __Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description The passkey is not known here, or what it says does not hold */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            403: components["responses"]["NotAllowed"];
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionConfirmOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "challenge": "bWFrZS0x",
                     *       "timeout": 300000,
                     *       "rpId": "push.example.com"
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1SessionConfirm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["Confirmation"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            /** @description What proves it is wrong, or (`code` is `second_factor`) a code is needed */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1Session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    /**
                     * @description Forgets the session.
                     * @example __Host-appsvc=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure
                     */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1SessionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description You have no such session */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1Me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Anna"
                 *     }
                 */
                "application/json": components["schemas"]["AccountChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "person": {
                     *         "id": 3,
                     *         "email": "anna@example.com",
                     *         "name": "Anna",
                     *         "hasTotp": true,
                     *         "passkeys": 1
                     *       },
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "rights": {
                     *         "server": [
                     *           "self"
                     *         ],
                     *         "apps": {
                     *           "1": [
                     *             "self",
                     *             "see",
                     *             "campaign"
                     *           ]
                     *         }
                     *       },
                     *       "freshUntil": "2026-11-23T10:00:00+0000",
                     *       "expires": "2026-11-30T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminSession"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1MeTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["SecondFactorCode"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "abcd-efgh-ijkl-mnop"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description It was not begun, or it is on already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1MeTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
                     *       "uri": "otpauth://totp/appsvc%3Aanna%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=appsvc"
                     *     }
                     */
                    "application/json": components["schemas"]["SecondFactorSecret"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description The second factor is on already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1MeTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1MePasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": []
                     *     }
                     */
                    "application/json": components["schemas"]["Passkeys"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1MePasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Phone",
                 *       "response": {
                 *         "id": "AbCd",
                 *         "rawId": "AbCd",
                 *         "type": "public-key",
                 *         "response": {}
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewPasskey"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 4,
                     *       "name": "Phone",
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "used": null
                     *     }
                     */
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1MePasskeysOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "challenge": "bWFrZS0x",
                     *       "timeout": 300000,
                     *       "rpId": "push.example.com"
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description Passkeys do not work at the address of this server (`baseUrl`) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1MePasskeysById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description You have no such passkey */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1MeTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": []
                     *     }
                     */
                    "application/json": components["schemas"]["PersonalTokens"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1MeTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "laptop",
                 *       "scopes": [
                 *         "see",
                 *         "campaign"
                 *       ],
                 *       "appId": 1,
                 *       "days": 90
                 *     }
                 */
                "application/json": components["schemas"]["NewPersonalToken"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 5,
                     *       "name": "laptop",
                     *       "hint": "appsvc_pt_C2FV…",
                     *       "scopes": [
                     *         "see",
                     *         "campaign"
                     *       ],
                     *       "appId": 1,
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "used": null,
                     *       "expires": "2026-11-30T10:00:00+0000",
                     *       "token": "appsvc_pt_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedPersonalToken"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1MeTokensById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description You have no such token */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Admins: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["AdminPage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1Admins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "bert@example.com",
                 *       "name": "Bert",
                 *       "roles": [
                 *         {
                 *           "appId": 1,
                 *           "role": "marketer"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewAdmin"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 3,
                     *       "email": "anna@example.com",
                     *       "name": "Anna",
                     *       "hasPassword": true,
                     *       "hasTotp": true,
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "link": "https://push.example.com/console/link#token=once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA",
                     *       "expires": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedAdmin"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AdminsByIdRoles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Number of the person.
                 * @example 3
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "roles": [
                 *         {
                 *           "appId": 1,
                 *           "role": "marketer"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RolesChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 3,
                     *       "email": "anna@example.com",
                     *       "name": "Anna",
                     *       "hasPassword": true,
                     *       "hasTotp": true,
                     *       "roles": [
                     *         {
                     *           "appId": 1,
                     *           "role": "marketer"
                     *         }
                     *       ],
                     *       "created": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Admin"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such person */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nobody would own the server any more */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AdminsByIdReset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Number of the person.
                 * @example 3
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Nothing"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "link": "https://push.example.com/console/link#token=once_C2FVsBQIhrscChlQIMV-b5sSYspob7oDMfrKTzpNjlA",
                     *       "expires": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["OneTimeLink"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such person */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AdminsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Number of the person.
                 * @example 3
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such person */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nobody would own the server any more */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It is you: another owner can delete you */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "validation failed",
                     *       "errors": {
                     *         "content.title": [
                     *           "is required"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Invalid"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Audit: {
        parameters: {
            query?: {
                /**
                 * @description Only of this app.
                 * @example 1
                 */
                appId?: number;
                /**
                 * @description Only of this person.
                 * @example 3
                 */
                adminId?: number;
                /**
                 * @description Only this action.
                 * @example admins.roles
                 */
                action?: string;
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEntryPage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1Commands: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file": "user-17\nuser-18\n"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["SubscribersFile"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            /** @description As many commands as may run at once are running */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description This server was started without commands */
            503: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1Apps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": []
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApps"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1Apps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Bakery"
                 *     }
                 */
                "application/json": components["schemas"]["NewApp"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Bakery",
                     *       "linkHostLabel": "a1f4c05d2e",
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "updated": "2026-11-23T10:00:00+0000",
                     *       "apiKey": "ak_…",
                     *       "serverKey": "sk_…",
                     *       "secretKey": "dk_…"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedApp"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "name": "Bakery",
                     *       "linkHostLabel": "a1f4c05d2e",
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "updated": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["AdminApp"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or you have no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or you have no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdLinkDays: {
        parameters: {
            query?: {
                /**
                 * @description How many days.
                 * @example 30
                 */
                days?: number;
                /**
                 * @description Only this link.
                 * @example 7
                 */
                linkId?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "days": [
                     *         {
                     *           "day": "2026-11-23",
                     *           "clicks": 40,
                     *           "matches": 12
                     *         }
                     *       ],
                     *       "platforms": [
                     *         {
                     *           "platform": "ios",
                     *           "clicks": 40,
                     *           "matches": 12
                     *         }
                     *       ],
                     *       "routes": [
                     *         {
                     *           "route": "jumpPage",
                     *           "clicks": 40,
                     *           "matches": 12
                     *         }
                     *       ],
                     *       "total": {
                     *         "clicks": 40,
                     *         "matches": 12
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["LinkDays"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdLinkSearch: {
        parameters: {
            query: {
                /**
                 * @description The address, the slug or the id of a link.
                 * @example spring-sale
                 */
                q: string;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": 7,
                     *           "url": "https://go.example.com/spring-sale",
                     *           "slug": "spring-sale",
                     *           "state": "active",
                     *           "linkData": {
                     *             "screen": "offer",
                     *             "id": 7
                     *           },
                     *           "content": {
                     *             "title": "Spring sale"
                     *           },
                     *           "desktopWebFallbackUrl": "https://example.com/offers/7",
                     *           "mobileWebFallbackUrl": "https://m.example.com/offers/7",
                     *           "reportingMeta": {
                     *             "campaign": "spring"
                     *           },
                     *           "expiresAt": null,
                     *           "lookupLimit": 100,
                     *           "lookups": 12,
                     *           "clicks": 40,
                     *           "createdAt": "2026-03-01T12:00:00+0000",
                     *           "updatedAt": "2026-03-01T12:30:00+0000"
                     *         }
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["FoundDeepLinks"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdDeepLinksByIdPreview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "card": {
                     *         "title": "Spring sale",
                     *         "description": "All shoes half price",
                     *         "siteName": "Shop",
                     *         "url": "https://go.example.com/spring-sale",
                     *         "image": null
                     *       },
                     *       "visits": [
                     *         {
                     *           "device": "ios",
                     *           "leadsTo": "page",
                     *           "url": "https://apps.apple.com/app/id1234567890"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeepLinkPreview"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such deep link */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdDeepLinksByIdPage: {
        parameters: {
            query?: {
                /**
                 * @description The device of the visitor.
                 * @example ios
                 */
                device?: "ios" | "android" | "desktop";
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such deep link */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Such a device gets no page */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdDeepLinksByIdQr: {
        parameters: {
            query?: {
                /**
                 * @description Format of the picture.
                 * @example svg
                 */
                format?: "svg" | "png";
                /**
                 * @description Width and height in pixels.
                 * @example 512
                 */
                size?: number;
                /**
                 * @description Whether the icon of the app is in the middle.
                 * @example true
                 */
                logo?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                    "image/png": string;
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such deep link */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdLinkCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": "https://go.example.com",
                     *       "domain": "go.example.com",
                     *       "isHealthy": true,
                     *       "findings": [
                     *         {
                     *           "level": "ok",
                     *           "what": "go.example.com resolves, and its certificate is trusted"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DomainCheck"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdBanners: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "uuid": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *           "link": "spring-sale",
                     *           "position": "bottom",
                     *           "trigger": {
                     *             "event": "k.pageViewed"
                     *           },
                     *           "labels": {
                     *             "heading": "Get the app",
                     *             "body": "All offers in your pocket",
                     *             "acceptAction": "Open",
                     *             "declineAction": "Later"
                     *           },
                     *           "colors": {
                     *             "fg": "#1b2129",
                     *             "bg": "#ffffff",
                     *             "declineActionFg": "#5a6573",
                     *             "declineActionBg": "#f6f7f9",
                     *             "acceptActionFg": "#ffffff",
                     *             "acceptActionBg": "#1753d8",
                     *             "ratingFg": "#b26a00"
                     *           },
                     *           "uiActions": {
                     *             "decline": {
                     *               "type": "remind"
                     *             }
                     *           },
                     *           "created": "2026-11-23T10:00:00+0000",
                     *           "updated": "2026-11-23T10:00:00+0000"
                     *         }
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["BannerFiles"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdBanners: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "link": "spring-sale",
                 *       "labels": {
                 *         "heading": "Get the app",
                 *         "body": "All offers in your pocket",
                 *         "acceptAction": "Open",
                 *         "declineAction": "Later"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewBanner"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uuid": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *       "link": "spring-sale",
                     *       "position": "bottom",
                     *       "trigger": {
                     *         "event": "k.pageViewed"
                     *       },
                     *       "labels": {
                     *         "heading": "Get the app",
                     *         "body": "All offers in your pocket",
                     *         "acceptAction": "Open",
                     *         "declineAction": "Later"
                     *       },
                     *       "colors": {
                     *         "fg": "#1b2129",
                     *         "bg": "#ffffff",
                     *         "declineActionFg": "#5a6573",
                     *         "declineActionBg": "#f6f7f9",
                     *         "acceptActionFg": "#ffffff",
                     *         "acceptActionBg": "#1753d8",
                     *         "ratingFg": "#b26a00"
                     *       },
                     *       "uiActions": {
                     *         "decline": {
                     *           "type": "remind"
                     *         }
                     *       },
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "updated": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["BannerFile"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The app has as many banners as it may have */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdBannersByUuid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uuid` of the channel, or of the banner.
                 * @example news
                 */
                uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uuid": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *       "link": "spring-sale",
                     *       "position": "bottom",
                     *       "trigger": {
                     *         "event": "k.pageViewed"
                     *       },
                     *       "labels": {
                     *         "heading": "Get the app",
                     *         "body": "All offers in your pocket",
                     *         "acceptAction": "Open",
                     *         "declineAction": "Later"
                     *       },
                     *       "colors": {
                     *         "fg": "#1b2129",
                     *         "bg": "#ffffff",
                     *         "declineActionFg": "#5a6573",
                     *         "declineActionBg": "#f6f7f9",
                     *         "acceptActionFg": "#ffffff",
                     *         "acceptActionBg": "#1753d8",
                     *         "ratingFg": "#b26a00"
                     *       },
                     *       "uiActions": {
                     *         "decline": {
                     *           "type": "remind"
                     *         }
                     *       },
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "updated": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["BannerFile"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such banner */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdBannersByUuid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uuid` of the channel, or of the banner.
                 * @example news
                 */
                uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such banner */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    patchAdminV1AppsByAppIdBannersByUuid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uuid` of the channel, or of the banner.
                 * @example news
                 */
                uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "position": "top"
                 *     }
                 */
                "application/json": components["schemas"]["BannerChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uuid": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *       "link": "spring-sale",
                     *       "position": "bottom",
                     *       "trigger": {
                     *         "event": "k.pageViewed"
                     *       },
                     *       "labels": {
                     *         "heading": "Get the app",
                     *         "body": "All offers in your pocket",
                     *         "acceptAction": "Open",
                     *         "declineAction": "Later"
                     *       },
                     *       "colors": {
                     *         "fg": "#1b2129",
                     *         "bg": "#ffffff",
                     *         "declineActionFg": "#5a6573",
                     *         "declineActionBg": "#f6f7f9",
                     *         "acceptActionFg": "#ffffff",
                     *         "acceptActionBg": "#1753d8",
                     *         "ratingFg": "#b26a00"
                     *       },
                     *       "uiActions": {
                     *         "decline": {
                     *           "type": "remind"
                     *         }
                     *       },
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "updated": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["BannerFile"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such banner */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdPrompts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "welcome",
                     *           "uuid": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *           "type": "bell",
                     *           "design": {
                     *             "type": "bell",
                     *             "trigger": {
                     *               "event": "k.pageViewed",
                     *               "afterSeconds": 5
                     *             }
                     *           },
                     *           "created": "2026-11-23T10:00:00+0000",
                     *           "updated": "2026-11-23T10:00:00+0000"
                     *         }
                     *       ],
                     *       "next": null
                     *     }
                     */
                    "application/json": components["schemas"]["WebPromptFiles"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdPromptsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description Its name.
                 * @example welcome
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "welcome",
                     *       "uuid": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *       "type": "bell",
                     *       "design": {
                     *         "type": "bell",
                     *         "trigger": {
                     *           "event": "k.pageViewed",
                     *           "afterSeconds": 5
                     *         }
                     *       },
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "updated": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["WebPromptFile"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such prompt */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdPromptsByName: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description Its name.
                 * @example welcome
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "bell",
                 *       "trigger": {
                 *         "event": "k.pageViewed",
                 *         "afterSeconds": 5
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewWebPrompt"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "welcome",
                     *       "uuid": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *       "type": "bell",
                     *       "design": {
                     *         "type": "bell",
                     *         "trigger": {
                     *           "event": "k.pageViewed",
                     *           "afterSeconds": 5
                     *         }
                     *       },
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "updated": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["WebPromptFile"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description There is one with this name, or the app has as many as it may have */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdPromptsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description Its name.
                 * @example welcome
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such prompt */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    patchAdminV1AppsByAppIdPromptsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description Its name.
                 * @example welcome
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "trigger": {
                 *         "event": "cartFilled"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["WebPromptChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "welcome",
                     *       "uuid": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *       "type": "bell",
                     *       "design": {
                     *         "type": "bell",
                     *         "trigger": {
                     *           "event": "k.pageViewed",
                     *           "afterSeconds": 5
                     *         }
                     *       },
                     *       "created": "2026-11-23T10:00:00+0000",
                     *       "updated": "2026-11-23T10:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["WebPromptFile"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such prompt */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdUsers: {
        parameters: {
            query?: {
                /**
                 * @description Number of the page, from 1.
                 * @example 1
                 */
                currentPage?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                numberPerPage?: number;
                /**
                 * @description Condition on the user.
                 * @example {"field":"attributes.plan","op":"equals","value":"gold"}
                 */
                filter?: string;
                /**
                 * @description Only users who are subscribed to this channel, or one of whose installs is.
                 * @example news
                 */
                channelUuid?: string;
                /**
                 * @description Only users with an install in this segment; its id is accepted too.
                 * @example 0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10
                 */
                segmentUuid?: string;
                /**
                 * @description Only users who were active then or later.
                 * @example 2026-03-01T08:00:00Z
                 */
                activeSince?: string;
                /**
                 * @description The `next` of the previous page.
                 * @example 1042
                 */
                after?: number;
                /**
                 * @description `device` adds `buildKind`, `simulator` and `timeSensitive` to every install. Without it they are absent.
                 * @example device
                 */
                include?: "device";
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "users": [
                     *         {
                     *           "identifier": "user-17",
                     *           "attributes": {
                     *             "plan": "gold",
                     *             "visits": 12
                     *           },
                     *           "firstActive": "2026-01-05T08:15:00+0000",
                     *           "lastActive": "2026-03-01T11:58:00+0000",
                     *           "inAppEnabled": true,
                     *           "createdAt": "2026-03-01T12:00:00+0000",
                     *           "updatedAt": "2026-03-01T12:30:00+0000",
                     *           "installs": [
                     *             {
                     *               "id": "7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10",
                     *               "subscribedToPushNotifications": true,
                     *               "os": "iOS",
                     *               "osVersion": "18.3",
                     *               "sdkType": "ios",
                     *               "sdkVersion": "10.2.0",
                     *               "lastActive": "2026-03-01T11:58:00+0000",
                     *               "appVersion": "4.12.0",
                     *               "countryIsoCode": "DE",
                     *               "timezone": "Europe/Berlin",
                     *               "locale": "de_DE",
                     *               "deviceModel": "iPhone17,1",
                     *               "deviceName": "iPhone 16 Pro"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "totalUsers": 1204,
                     *       "currentPage": 1
                     *     }
                     */
                    "application/json": components["schemas"]["UserPage"] | components["schemas"]["FoundUsers"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdUsersByUserId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The identifier of the user. From devices it may also be a user token, if the app signs its users.
                 * @example user-17
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "identifier": "user-17",
                     *       "attributes": {
                     *         "plan": "gold",
                     *         "visits": 12
                     *       },
                     *       "firstActive": "2026-01-05T08:15:00+0000",
                     *       "lastActive": "2026-03-01T11:58:00+0000",
                     *       "inAppEnabled": true,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000",
                     *       "installs": [
                     *         {
                     *           "id": "7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10",
                     *           "subscribedToPushNotifications": true,
                     *           "os": "iOS",
                     *           "osVersion": "18.3",
                     *           "sdkType": "ios",
                     *           "sdkVersion": "10.2.0",
                     *           "lastActive": "2026-03-01T11:58:00+0000",
                     *           "appVersion": "4.12.0",
                     *           "countryIsoCode": "DE",
                     *           "timezone": "Europe/Berlin",
                     *           "locale": "de_DE",
                     *           "deviceModel": "iPhone17,1",
                     *           "deviceName": "iPhone 16 Pro"
                     *         }
                     *       ],
                     *       "known": true,
                     *       "channels": [
                     *         {
                     *           "uuid": "news",
                     *           "name": "News",
                     *           "subscribed": true,
                     *           "installIds": [],
                     *           "optedOutInstallIds": []
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["UserRecord"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdUsersByUserId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The identifier of the user. From devices it may also be a user token, if the app signs its users.
                 * @example user-17
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a1f0e-7c1b-7d2a-9a55-3f1f5a1c2b3d",
                     *       "kind": "user",
                     *       "state": "done",
                     *       "found": true,
                     *       "requestedAt": "2026-11-23T14:00:00+0000",
                     *       "doneAt": "2026-11-23T14:00:04+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nobody can have this identifier */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "validation failed",
                     *       "errors": {
                     *         "content.title": [
                     *           "is required"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Invalid"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdUsersByUserIdAttributes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The identifier of the user. From devices it may also be a user token, if the app signs its users.
                 * @example user-17
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "plan": "gold",
                     *       "visits": 12,
                     *       "newsletter": true
                     *     }
                     */
                    "application/json": components["schemas"]["Attributes"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdUsersByUserIdAttributes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The identifier of the user. From devices it may also be a user token, if the app signs its users.
                 * @example user-17
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "plan": "gold",
                 *       "visits": 12,
                 *       "newsletter": true
                 *     }
                 */
                "application/json": components["schemas"]["Attributes"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "identifier": "user-17",
                     *       "attributes": {
                     *         "plan": "gold",
                     *         "visits": 12
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UserAttributes"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdUsersByUserIdAttributes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The identifier of the user. From devices it may also be a user token, if the app signs its users.
                 * @example user-17
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no such user */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    patchAdminV1AppsByAppIdUsersByUserIdAttributes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The identifier of the user. From devices it may also be a user token, if the app signs its users.
                 * @example user-17
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "plan": "gold",
                 *       "coupon": null
                 *     }
                 */
                "application/json": components["schemas"]["AttributesPatch"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "identifier": "user-17",
                     *       "attributes": {
                     *         "plan": "gold",
                     *         "visits": 12
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UserAttributes"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdInstallsByInstallId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The id of the install, chosen by its SDK.
                 * @example 7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10
                 */
                installId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a1f0e-7c1b-7d2a-9a55-3f1f5a1c2b3d",
                     *       "kind": "user",
                     *       "state": "done",
                     *       "found": true,
                     *       "requestedAt": "2026-11-23T14:00:00+0000",
                     *       "doneAt": "2026-11-23T14:00:04+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Nobody can have this identifier */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "validation failed",
                     *       "errors": {
                     *         "content.title": [
                     *           "is required"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Invalid"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdErasuresByErasureId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description Id of an erasure, as the DELETE answered it.
                 * @example 019a1f0e-7c1b-7d2a-9a55-3f1f5a1c2b3d
                 */
                erasureId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "019a1f0e-7c1b-7d2a-9a55-3f1f5a1c2b3d",
                     *       "kind": "user",
                     *       "state": "done",
                     *       "found": true,
                     *       "requestedAt": "2026-11-23T14:00:00+0000",
                     *       "doneAt": "2026-11-23T14:00:04+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such erasure */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdUsersByUserIdExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The identifier of the user. From devices it may also be a user token, if the app signs its users.
                 * @example user-17
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdUsersByUserIdChoices: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The identifier of the user. From devices it may also be a user token, if the app signs its users.
                 * @example user-17
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "purposes": [
                     *         {
                     *           "uid": "news",
                     *           "name": "News",
                     *           "description": "What is new in the app, once a week",
                     *           "required": false,
                     *           "allowed": true,
                     *           "choice": {
                     *             "allowed": false,
                     *             "at": "2026-03-01T12:00:00+0000",
                     *             "source": "device"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ChosenPurposes"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdUsersByUserIdChoices: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The identifier of the user. From devices it may also be a user token, if the app signs its users.
                 * @example user-17
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "news": false
                 *     }
                 */
                "application/json": components["schemas"]["Choices"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "purposes": [
                     *         {
                     *           "uid": "news",
                     *           "name": "News",
                     *           "description": "What is new in the app, once a week",
                     *           "required": false,
                     *           "allowed": true,
                     *           "choice": {
                     *             "allowed": false,
                     *             "at": "2026-03-01T12:00:00+0000",
                     *             "source": "device"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ChosenPurposes"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdPurposes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "purposes": [
                     *         {
                     *           "uid": "news",
                     *           "name": "News",
                     *           "description": "What is new in the app, once a week",
                     *           "default": true,
                     *           "required": false,
                     *           "createdAt": "2026-03-01T12:00:00+0000",
                     *           "updatedAt": "2026-03-01T12:30:00+0000"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Purposes"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdPurposesByUid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uid` of the template.
                 * @example opening-hours
                 */
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uid": "news",
                     *       "name": "News",
                     *       "description": "What is new in the app, once a week",
                     *       "default": true,
                     *       "required": false,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Purpose"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such purpose */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdPurposesByUid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uid` of the template.
                 * @example opening-hours
                 */
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "News",
                 *       "description": "What is new in the app, once a week",
                 *       "default": true
                 *     }
                 */
                "application/json": components["schemas"]["PurposeRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uid": "news",
                     *       "name": "News",
                     *       "description": "What is new in the app, once a week",
                     *       "default": true,
                     *       "required": false,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Purpose"];
                };
            };
            /** @description The purpose was created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uid": "news",
                     *       "name": "News",
                     *       "description": "What is new in the app, once a week",
                     *       "default": true,
                     *       "required": false,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Purpose"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The app has as many purposes as it may have */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdPurposesByUid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uid` of the template.
                 * @example opening-hours
                 */
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such purpose */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Something that names it is not sent yet */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdSuppressions: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "suppressions": [
                     *         {
                     *           "id": 12,
                     *           "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "reason": "asked by letter",
                     *           "at": "2026-03-01T12:00:00+0000"
                     *         }
                     *       ],
                     *       "next": 51
                     *     }
                     */
                    "application/json": components["schemas"]["ListedSuppressionPage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdSuppressions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userIds": [
                 *         "user-17",
                 *         "user-18"
                 *       ],
                 *       "reason": "asked by letter"
                 *     }
                 */
                "application/json": components["schemas"]["SuppressionsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "added": 2,
                     *       "known": 0
                     *     }
                     */
                    "application/json": components["schemas"]["SuppressionsAdded"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdSuppressionsByIdentifier: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description Identifier of a user.
                 * @example user-17
                 */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "identifier": "user-17",
                     *       "reason": "asked by letter",
                     *       "at": "2026-03-01T12:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Suppression"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description The identifier is not on the list */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdSuppressionsByIdentifier: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description Identifier of a user.
                 * @example user-17
                 */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "asked by letter"
                 *     }
                 */
                "application/json": components["schemas"]["SuppressionRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "identifier": "user-17",
                     *       "reason": "asked by letter",
                     *       "at": "2026-03-01T12:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Suppression"];
                };
            };
            /** @description The user was not on the list before */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "identifier": "user-17",
                     *       "reason": "asked by letter",
                     *       "at": "2026-03-01T12:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Suppression"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdSuppressionsByIdentifier: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description Identifier of a user.
                 * @example user-17
                 */
                identifier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description The identifier is not on the list */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdDataByTableAlias: {
        parameters: {
            query?: {
                /**
                 * @description Number of the page, from 1. Default 1.
                 * @example 1
                 */
                page?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                numberPerPage?: number;
                /**
                 * @description A column; `-` before it reverses the order. Default `id`. Records without a value come first.
                 * @example -total
                 */
                sortBy?: string;
                /**
                 * @description JSON: `{"field": "n", "operator": "atLeast", "value": 3}`, a list of conditions (all must hold), or `and`, `or`, `not` of them. Operators: equals, notEquals, lessThan, atMost, greaterThan, atLeast, in, contains, startsWith, exists (docs/tables.md lists other spellings).
                 * @example {"field":"total","operator":"gte","value":10}
                 */
                filter?: string;
                /**
                 * @description True asks for the header `Total-Count`.
                 * @example true
                 */
                count?: boolean | ("1" | "0");
                /**
                 * @description Continues after a page: the `Next-After` of its answer. Excludes `page`.
                 * @example eyJpZCI6NTB9
                 */
                after?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The alias of the table: the app id, `_`, and its name.
                 * @example 1_orders
                 */
                tableAlias: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /**
                     * @description The `after` of the next page. Absent on the last page.
                     * @example eyJpZCI6NTB9
                     */
                    "Next-After"?: string;
                    /**
                     * @description The address of the next page with `rel="next"`. Absent on the last page, and when it would be too long for a header.
                     * @example <https://api.example.com/data/v1/data/1_orders?after=eyJpZCI6NTB9>; rel="next"
                     */
                    Link?: string;
                    /**
                     * @description How many records match. Only with `count=true`.
                     * @example 1204
                     */
                    "Total-Count"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 17,
                     *         "customer": "user-17",
                     *         "total": 49.9,
                     *         "paid": true,
                     *         "createdAt": "2026-03-01T12:00:00+0000",
                     *         "updatedAt": "2026-03-01T12:30:00+0000"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Record"][];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such table */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdDataByTableAlias: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The alias of the table: the app id, `_`, and its name.
                 * @example 1_orders
                 */
                tableAlias: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "customer": "user-17",
                 *       "total": 49.9,
                 *       "paid": true
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                } | unknown[];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /**
                     * @description The address of the new record; of the first one of a list.
                     * @example https://api.example.com/data/v1/data/1_orders/17
                     */
                    Location: string;
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such table */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdDataByTableAliasById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The alias of the table: the app id, `_`, and its name.
                 * @example 1_orders
                 */
                tableAlias: string;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 17,
                     *       "customer": "user-17",
                     *       "total": 49.9,
                     *       "paid": true,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Record"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such table or record */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdDataByTableAliasById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The alias of the table: the app id, `_`, and its name.
                 * @example 1_orders
                 */
                tableAlias: string;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "paid": false
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 17,
                     *       "customer": "user-17",
                     *       "total": 49.9,
                     *       "paid": true,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Record"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such table or record */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdDataByTableAliasById: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The alias of the table: the app id, `_`, and its name.
                 * @example 1_orders
                 */
                tableAlias: string;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "customer": "user-17",
                 *       "total": 49.9,
                 *       "paid": true
                 *     }
                 */
                "application/json": {
                    [key: string]: unknown;
                } | unknown[];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /**
                     * @description The address of the new record; of the first one of a list.
                     * @example https://api.example.com/data/v1/data/1_orders/17
                     */
                    Location: string;
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such table */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdDataByTableAliasById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The alias of the table: the app id, `_`, and its name.
                 * @example 1_orders
                 */
                tableAlias: string;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such table or record */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Records of another table reference it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdNotifications: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
                /**
                 * @description Only notifications with this status.
                 * @example sent
                 */
                status?: "scheduled" | "queued" | "sending" | "sent" | "failed" | "cancelled" | "0" | "1" | "2" | "3" | "5" | "4";
                /**
                 * @description Only notifications that were created then or later.
                 * @example 2026-03-01
                 */
                createdSince?: string;
                /**
                 * @description Only notifications that were created before.
                 * @example 2026-04-01
                 */
                createdBefore?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notifications": [
                     *         {
                     *           "id": 7,
                     *           "appId": 1,
                     *           "source": 1,
                     *           "status": 3,
                     *           "filters": {
                     *             "broadcast": true
                     *           },
                     *           "title": "Hello",
                     *           "message": "We are open today",
                     *           "data": {
                     *             "screen": "offers"
                     *           },
                     *           "createdAt": "2026-03-01T12:00:00+0000",
                     *           "updatedAt": "2026-03-01T12:30:00+0000"
                     *         }
                     *       ],
                     *       "next": 51
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationPage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdNotifications: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "target": {
                 *         "channelUuids": [
                 *           "news"
                 *         ]
                 *       },
                 *       "content": {
                 *         "title": "Hello",
                 *         "message": "We are open today",
                 *         "data": {
                 *           "screen": "offers"
                 *         }
                 *       },
                 *       "ios": {
                 *         "badge": {
                 *           "type": "incrementBy",
                 *           "count": 1
                 *         }
                 *       },
                 *       "android": {
                 *         "highPriority": true
                 *       },
                 *       "ttl": 86400
                 *     }
                 */
                "application/json": components["schemas"]["NotificationRequest"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notification": {
                     *         "id": 7,
                     *         "appId": 1,
                     *         "source": 1,
                     *         "status": 3,
                     *         "filters": {
                     *           "broadcast": true
                     *         },
                     *         "title": "Hello",
                     *         "message": "We are open today",
                     *         "data": {
                     *           "screen": "offers"
                     *         },
                     *         "createdAt": "2026-03-01T12:00:00+0000",
                     *         "updatedAt": "2026-03-01T12:30:00+0000"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AcceptedNotification"];
                };
            };
            /** @description Every target is unknown or unsubscribed; nothing was queued */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notification": null,
                     *       "errors": {
                     *         "unknownUserIds": [
                     *           "user-99"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RejectedNotification"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdNotificationsPreview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "target": {
                 *         "broadcast": true
                 *       },
                 *       "content": {
                 *         "title": "Hello",
                 *         "message": "We are open today"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NotificationRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recipients": 1204,
                     *       "isComplete": true,
                     *       "confirm": null,
                     *       "gateways": [
                     *         {
                     *           "platform": "ios",
                     *           "recipients": 1204,
                     *           "configured": true,
                     *           "request": {
                     *             "headers": {},
                     *             "payload": {},
                     *             "bytes": 180,
                     *             "limit": 4096
                     *           }
                     *         }
                     *       ],
                     *       "leftOut": [
                     *         {
                     *           "reason": "no_gateway",
                     *           "count": 3
                     *         }
                     *       ],
                     *       "mayBeSkipped": [
                     *         "quiet_hours"
                     *       ],
                     *       "errors": {
                     *         "unknownUserIds": [
                     *           "user-99"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SendPreview"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdNotificationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "appId": 1,
                     *       "source": 1,
                     *       "status": 3,
                     *       "filters": {
                     *         "broadcast": true
                     *       },
                     *       "title": "Hello",
                     *       "message": "We are open today",
                     *       "data": {
                     *         "screen": "offers"
                     *       },
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000",
                     *       "statusReason": null,
                     *       "expiresAt": "2026-03-02T12:00:00+0000",
                     *       "schedule": {
                     *         "sendAt": "2026-12-24 18:00",
                     *         "strategy": "local",
                     *         "pastTimes": "nextDay"
                     *       },
                     *       "dueInstants": [
                     *         {
                     *           "at": "2026-03-01T12:00:00+0000",
                     *           "state": "done",
                     *           "zones": 3
                     *         }
                     *       ],
                     *       "unknownZones": 0,
                     *       "counts": {
                     *         "audience": 3,
                     *         "pending": 0,
                     *         "accepted": 1,
                     *         "failed": 1,
                     *         "expired": 0,
                     *         "cancelled": 0,
                     *         "skipped": 1,
                     *         "unknown": 0,
                     *         "delivered": 1,
                     *         "opened": 1,
                     *         "dismissed": 0,
                     *         "failures": [
                     *           {
                     *             "kind": "token_dead",
                     *             "reason": "UNREGISTERED",
                     *             "count": 1
                     *           }
                     *         ],
                     *         "skips": [
                     *           {
                     *             "reason": "UNREGISTERED",
                     *             "count": 1
                     *           }
                     *         ],
                     *         "expiries": [
                     *           {
                     *             "reason": "UNREGISTERED",
                     *             "count": 1
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationReport"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such notification */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdNotificationsByIdRecipients: {
        parameters: {
            query?: {
                /**
                 * @description Only recipients with this outcome.
                 * @example failed
                 */
                outcome?: "pending" | "accepted" | "failed" | "expired" | "cancelled" | "skipped" | "unknown";
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such notification */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdNotificationsByIdInstallOpens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "installId": "7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10",
                     *         "openedAt": "2026-03-01 12:05:00"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["InstallOpen"][];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such notification */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdNotificationsByIdUserOpens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "userId": "user-17",
                     *         "openedAt": "2026-03-01 12:05:00"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["UserOpen"][];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such notification */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdScheduledNotifications: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "notifications": [
                     *         {
                     *           "id": 7,
                     *           "appId": 1,
                     *           "source": 1,
                     *           "status": 0,
                     *           "filters": {
                     *             "broadcast": true
                     *           },
                     *           "title": "Hello",
                     *           "message": "We are open today",
                     *           "data": {
                     *             "screen": "offers"
                     *           },
                     *           "createdAt": "2026-03-01T12:00:00+0000",
                     *           "updatedAt": "2026-03-01T12:30:00+0000",
                     *           "schedule": {
                     *             "sendAt": "2026-12-24 18:00",
                     *             "strategy": "local",
                     *             "pastTimes": "nextDay"
                     *           },
                     *           "nextAt": "2026-03-02T09:00:00+0000"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ScheduledNotifications"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdScheduledNotificationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It was sent or cancelled before, or its last run has begun */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such notification */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdInAppMessages: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "messages": [
                     *         {
                     *           "id": 7,
                     *           "appId": 1,
                     *           "status": 3,
                     *           "filters": {
                     *             "broadcast": true
                     *           },
                     *           "template": "opening-hours",
                     *           "content": {
                     *             "Title": "Closed on Monday"
                     *           },
                     *           "notification": {
                     *             "title": "Hello",
                     *             "message": "We are open today"
                     *           },
                     *           "createdAt": "2026-03-01T12:00:00+0000",
                     *           "updatedAt": "2026-03-01T12:30:00+0000"
                     *         }
                     *       ],
                     *       "next": 51
                     *     }
                     */
                    "application/json": components["schemas"]["InAppMessagePage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdInAppMessages: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "target": {
                 *         "channelUuids": [
                 *           "news"
                 *         ]
                 *       },
                 *       "template": "opening-hours",
                 *       "content": {
                 *         "Title": "Closed on Monday"
                 *       },
                 *       "presentedWhen": "next-open",
                 *       "ttl": {
                 *         "expiresIn": 7,
                 *         "units": "d"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["InAppMessageRequest"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": {
                     *         "id": 7,
                     *         "appId": 1,
                     *         "status": 3,
                     *         "filters": {
                     *           "broadcast": true
                     *         },
                     *         "template": "opening-hours",
                     *         "content": {
                     *           "Title": "Closed on Monday"
                     *         },
                     *         "notification": {
                     *           "title": "Hello",
                     *           "message": "We are open today"
                     *         },
                     *         "createdAt": "2026-03-01T12:00:00+0000",
                     *         "updatedAt": "2026-03-01T12:30:00+0000"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AcceptedInAppMessage"];
                };
            };
            /** @description Every target is unknown or has in-app messages disabled; nothing was stored */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": null,
                     *       "errors": {
                     *         "unknownUserIds": [
                     *           "user-99"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RejectedInAppMessage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such template */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdInAppMessagesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "appId": 1,
                     *       "status": 3,
                     *       "filters": {
                     *         "broadcast": true
                     *       },
                     *       "template": "opening-hours",
                     *       "content": {
                     *         "Title": "Closed on Monday"
                     *       },
                     *       "notification": {
                     *         "title": "Hello",
                     *         "message": "We are open today"
                     *       },
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000",
                     *       "statusReason": null,
                     *       "templateVersion": 2,
                     *       "presentedWhen": "next-open",
                     *       "ttlSeconds": 604800,
                     *       "data": {
                     *         "screen": "offers"
                     *       },
                     *       "inbox": {
                     *         "title": "Hello",
                     *         "subtitle": "What changes this week",
                     *         "from": "2026-03-01T12:00:00+0000",
                     *         "to": "2026-03-08T12:00:00+0000",
                     *         "imageUrl": "https://example.com/picture.png"
                     *       },
                     *       "schedule": {
                     *         "sendAt": "2026-12-24 18:00",
                     *         "strategy": "local",
                     *         "pastTimes": "nextDay"
                     *       },
                     *       "nextAt": null,
                     *       "withdrawnAt": null,
                     *       "counts": {
                     *         "recipients": 240,
                     *         "skipped": 0,
                     *         "delivered": 200,
                     *         "shown": 180,
                     *         "dismissed": 170,
                     *         "read": 75,
                     *         "inboxDeleted": 4
                     *       },
                     *       "push": {
                     *         "notificationId": 13,
                     *         "status": 3,
                     *         "counts": {
                     *           "audience": 3,
                     *           "pending": 0,
                     *           "accepted": 1,
                     *           "failed": 1,
                     *           "expired": 0,
                     *           "cancelled": 0,
                     *           "skipped": 1,
                     *           "unknown": 0,
                     *           "delivered": 1,
                     *           "opened": 1
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InAppMessageReport"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such in-app message */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdInAppMessagesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such in-app message */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdGateways: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "accountId": 1,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000",
                     *       "platformConfigs": [
                     *         {
                     *           "platformType": 1,
                     *           "createdAt": "2026-03-01T12:00:00+0000",
                     *           "updatedAt": "2026-03-01T12:30:00+0000"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AppConfiguration"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdGateways: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "web": {
                 *         "iconUrl": "https://example.com/icon.png"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["GatewayBlocks"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 1,
                     *       "accountId": 1,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000",
                     *       "platformConfigs": [
                     *         {
                     *           "platformType": 1,
                     *           "createdAt": "2026-03-01T12:00:00+0000",
                     *           "updatedAt": "2026-03-01T12:30:00+0000"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AppConfiguration"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdGatewaysByPlatform: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description Name of the block of a gateway, or its `platformType`.
                 * @example ios
                 */
                platform: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description The app has no such gateway */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdChannels: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "channels": [
                     *         {
                     *           "id": 7,
                     *           "appId": 1,
                     *           "uuid": "news",
                     *           "name": "News",
                     *           "showInPortal": true,
                     *           "meta": {
                     *             "icon": "news.png"
                     *           },
                     *           "createdAt": "2026-03-01 12:00:00",
                     *           "updatedAt": "2026-03-01 12:30:00"
                     *         }
                     *       ],
                     *       "next": 51
                     *     }
                     */
                    "application/json": components["schemas"]["ChannelPage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdChannels: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uuid": "news",
                 *       "name": "News",
                 *       "showInPortal": true,
                 *       "meta": {
                 *         "icon": "news.png"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewChannel"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "appId": 1,
                     *       "uuid": "news",
                     *       "name": "News",
                     *       "showInPortal": true,
                     *       "meta": {
                     *         "icon": "news.png"
                     *       },
                     *       "createdAt": "2026-03-01 12:00:00",
                     *       "updatedAt": "2026-03-01 12:30:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Channel"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdChannelsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "appId": 1,
                     *       "uuid": "news",
                     *       "name": "News",
                     *       "showInPortal": true,
                     *       "meta": {
                     *         "icon": "news.png"
                     *       },
                     *       "createdAt": "2026-03-01 12:00:00",
                     *       "updatedAt": "2026-03-01 12:30:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Channel"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such channel */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdChannelsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Daily news",
                 *       "meta": null
                 *     }
                 */
                "application/json": components["schemas"]["ChannelChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "appId": 1,
                     *       "uuid": "news",
                     *       "name": "News",
                     *       "showInPortal": true,
                     *       "meta": {
                     *         "icon": "news.png"
                     *       },
                     *       "createdAt": "2026-03-01 12:00:00",
                     *       "updatedAt": "2026-03-01 12:30:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Channel"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such channel */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdChannelsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such channel */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdChannelsByUuidSubscriptions: {
        parameters: {
            query?: {
                /**
                 * @description The `next` of the previous page.
                 * @example u1042
                 */
                after?: string;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uuid` of the channel, or of the banner.
                 * @example news
                 */
                uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscriptions": [
                     *         {
                     *           "userId": "user-17",
                     *           "installId": "7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10",
                     *           "subscribed": true
                     *         }
                     *       ],
                     *       "next": "u1042"
                     *     }
                     */
                    "application/json": components["schemas"]["SubscriptionPage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such channel */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdChannelsByUuidSubscriptions: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uuid` of the channel, or of the banner.
                 * @example news
                 */
                uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "installIds": [
                 *         "7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Subscribers"];
            };
        };
        responses: {
            /** @description Some of the ids are unknown; the others were applied */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "errors": {
                     *         "unknownUserIds": [
                     *           "user-99"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UnknownSubscribers"];
                };
            };
            /** @description Done */
            204: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such channel */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdChannelsByUuidSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uuid` of the channel, or of the banner.
                 * @example news
                 */
                uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userIds": [
                 *         "user-17"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Unsubscribers"];
            };
        };
        responses: {
            /** @description Some of the ids are unknown; the others were applied */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "errors": {
                     *         "unknownUserIds": [
                     *           "user-99"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UnknownSubscribers"];
                };
            };
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such channel */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdChannelsByUuidSubscribersFile: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uuid` of the channel, or of the banner.
                 * @example news
                 */
                uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "file": "user-17\nuser-18\n"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["SubscribersFile"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "import": {
                     *         "id": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *         "state": "queued",
                     *         "lines": 120,
                     *         "processed": 0,
                     *         "applied": 0,
                     *         "unknown": 0,
                     *         "error": null,
                     *         "createdAt": "2026-03-01 12:00:00",
                     *         "updatedAt": "2026-03-01 12:00:00"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["QueuedChannelImport"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such channel */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["Conflict"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdChannelsByUuidImports: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uuid` of the channel, or of the banner.
                 * @example news
                 */
                uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "imports": [
                     *         {
                     *           "id": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *           "state": "done",
                     *           "lines": 120,
                     *           "processed": 120,
                     *           "applied": 118,
                     *           "unknown": 2,
                     *           "error": null,
                     *           "createdAt": "2026-03-01 12:00:00",
                     *           "updatedAt": "2026-03-01 12:30:00"
                     *         }
                     *       ],
                     *       "next": 51
                     *     }
                     */
                    "application/json": components["schemas"]["ChannelImportPage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such channel */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdChannelsByUuidImportsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uuid` of the channel, or of the banner.
                 * @example news
                 */
                uuid: string;
                /**
                 * @description The `id` of the file.
                 * @example 0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "import": {
                     *         "id": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *         "state": "done",
                     *         "lines": 120,
                     *         "processed": 120,
                     *         "applied": 118,
                     *         "unknown": 2,
                     *         "error": null,
                     *         "createdAt": "2026-03-01 12:00:00",
                     *         "updatedAt": "2026-03-01 12:30:00",
                     *         "unknownUsers": [
                     *           {
                     *             "line": 2,
                     *             "userId": "user-99"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ChannelImportAnswer"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such channel or file */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdSegments: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "segments": [
                     *         {
                     *           "id": 7,
                     *           "appId": 1,
                     *           "uuid": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *           "name": "On iOS",
                     *           "filter": {
                     *             "field": "os",
                     *             "op": "equals",
                     *             "value": "iOS"
                     *           },
                     *           "createdAt": "2026-03-01 12:00:00",
                     *           "updatedAt": "2026-03-01 12:30:00"
                     *         }
                     *       ],
                     *       "next": 51
                     *     }
                     */
                    "application/json": components["schemas"]["SegmentPage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdSegments: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "On iOS",
                 *       "filter": {
                 *         "field": "os",
                 *         "op": "equals",
                 *         "value": "iOS"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewSegment"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "appId": 1,
                     *       "uuid": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *       "name": "On iOS",
                     *       "filter": {
                     *         "field": "os",
                     *         "op": "equals",
                     *         "value": "iOS"
                     *       },
                     *       "createdAt": "2026-03-01 12:00:00",
                     *       "updatedAt": "2026-03-01 12:30:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Segment"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdSegmentsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` or the `uuid` of the segment.
                 * @example 7
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "appId": 1,
                     *       "uuid": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *       "name": "On iOS",
                     *       "filter": {
                     *         "field": "os",
                     *         "op": "equals",
                     *         "value": "iOS"
                     *       },
                     *       "createdAt": "2026-03-01 12:00:00",
                     *       "updatedAt": "2026-03-01 12:30:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Segment"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such segment */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdSegmentsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` or the `uuid` of the segment.
                 * @example 7
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "On iPhones"
                 *     }
                 */
                "application/json": components["schemas"]["SegmentChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "appId": 1,
                     *       "uuid": "0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10",
                     *       "name": "On iOS",
                     *       "filter": {
                     *         "field": "os",
                     *         "op": "equals",
                     *         "value": "iOS"
                     *       },
                     *       "createdAt": "2026-03-01 12:00:00",
                     *       "updatedAt": "2026-03-01 12:30:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Segment"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such segment */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdSegmentsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` or the `uuid` of the segment.
                 * @example 7
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such segment */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A notification that is not sent yet targets it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdSegmentsByIdPreview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` or the `uuid` of the segment.
                 * @example 7
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total": 240,
                     *       "platforms": {
                     *         "ios": 240
                     *       },
                     *       "first": [
                     *         {
                     *           "installId": "7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10",
                     *           "userId": "user-17",
                     *           "platform": "ios"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SegmentPreview"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such segment */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdTemplates: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "templates": [
                     *         {
                     *           "appId": 1,
                     *           "uid": "opening-hours",
                     *           "name": "Opening hours",
                     *           "version": 2,
                     *           "createdAt": "2026-03-01 12:00:00",
                     *           "updatedAt": "2026-03-01 12:30:00"
                     *         }
                     *       ],
                     *       "next": 51
                     *     }
                     */
                    "application/json": components["schemas"]["TemplateLinePage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdTemplates: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "uid": "opening-hours",
                 *       "name": "Opening hours",
                 *       "content": {
                 *         "ver": 1,
                 *         "frame": {
                 *           "type": "alert",
                 *           "nodes": [
                 *             {
                 *               "type": "heading",
                 *               "text": "{{Title}}"
                 *             },
                 *             {
                 *               "type": "button",
                 *               "text": "OK",
                 *               "actions": [
                 *                 {
                 *                   "type": "closeMessage"
                 *                 }
                 *               ]
                 *             }
                 *           ]
                 *         }
                 *       },
                 *       "sample": {
                 *         "Title": "Closed on Monday"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewTemplate"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": 1,
                     *       "uid": "opening-hours",
                     *       "name": "Opening hours",
                     *       "version": 2,
                     *       "content": {
                     *         "ver": 1,
                     *         "frame": {
                     *           "type": "alert",
                     *           "nodes": [
                     *             {
                     *               "type": "heading",
                     *               "text": "{{Title}}"
                     *             },
                     *             {
                     *               "type": "button",
                     *               "text": "OK",
                     *               "actions": [
                     *                 {
                     *                   "type": "closeMessage"
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "tags": [
                     *         {
                     *           "title": "Title",
                     *           "type": "text",
                     *           "required": true
                     *         }
                     *       ],
                     *       "sample": {
                     *         "Title": "Closed on Monday"
                     *       },
                     *       "createdAt": "2026-03-01 12:00:00",
                     *       "updatedAt": "2026-03-01 12:30:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdTemplatesByUid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uid` of the template.
                 * @example opening-hours
                 */
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": 1,
                     *       "uid": "opening-hours",
                     *       "name": "Opening hours",
                     *       "version": 2,
                     *       "content": {
                     *         "ver": 1,
                     *         "frame": {
                     *           "type": "alert",
                     *           "nodes": [
                     *             {
                     *               "type": "heading",
                     *               "text": "{{Title}}"
                     *             },
                     *             {
                     *               "type": "button",
                     *               "text": "OK",
                     *               "actions": [
                     *                 {
                     *                   "type": "closeMessage"
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "tags": [
                     *         {
                     *           "title": "Title",
                     *           "type": "text",
                     *           "required": true
                     *         }
                     *       ],
                     *       "sample": {
                     *         "Title": "Closed on Monday"
                     *       },
                     *       "createdAt": "2026-03-01 12:00:00",
                     *       "updatedAt": "2026-03-01 12:30:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such template */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdTemplatesByUid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uid` of the template.
                 * @example opening-hours
                 */
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Opening hours (short)"
                 *     }
                 */
                "application/json": components["schemas"]["TemplateChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": 1,
                     *       "uid": "opening-hours",
                     *       "name": "Opening hours",
                     *       "version": 2,
                     *       "content": {
                     *         "ver": 1,
                     *         "frame": {
                     *           "type": "alert",
                     *           "nodes": [
                     *             {
                     *               "type": "heading",
                     *               "text": "{{Title}}"
                     *             },
                     *             {
                     *               "type": "button",
                     *               "text": "OK",
                     *               "actions": [
                     *                 {
                     *                   "type": "closeMessage"
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "tags": [
                     *         {
                     *           "title": "Title",
                     *           "type": "text",
                     *           "required": true
                     *         }
                     *       ],
                     *       "sample": {
                     *         "Title": "Closed on Monday"
                     *       },
                     *       "createdAt": "2026-03-01 12:00:00",
                     *       "updatedAt": "2026-03-01 12:30:00"
                     *     }
                     */
                    "application/json": components["schemas"]["Template"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such template */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdTemplatesByUid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uid` of the template.
                 * @example opening-hours
                 */
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such template */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdTemplatesByUidVersions: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uid` of the template.
                 * @example opening-hours
                 */
                uid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "versions": [
                     *         {
                     *           "version": 2,
                     *           "createdAt": "2026-03-01 12:00:00"
                     *         }
                     *       ],
                     *       "next": 51
                     *     }
                     */
                    "application/json": components["schemas"]["TemplateVersionLinePage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such template */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdTemplatesByUidVersionsByVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uid` of the template.
                 * @example opening-hours
                 */
                uid: string;
                /**
                 * @description Number of the version, from 1.
                 * @example 2
                 */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "uid": "opening-hours",
                     *       "version": 2,
                     *       "content": {
                     *         "ver": 1,
                     *         "frame": {
                     *           "type": "alert",
                     *           "nodes": [
                     *             {
                     *               "type": "heading",
                     *               "text": "{{Title}}"
                     *             },
                     *             {
                     *               "type": "button",
                     *               "text": "OK",
                     *               "actions": [
                     *                 {
                     *                   "type": "closeMessage"
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "tags": [
                     *         {
                     *           "title": "Title",
                     *           "type": "text",
                     *           "required": true
                     *         }
                     *       ],
                     *       "sample": {
                     *         "Title": "Closed on Monday"
                     *       },
                     *       "createdAt": "2026-03-01 12:00:00"
                     *     }
                     */
                    "application/json": components["schemas"]["TemplateVersion"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such template, or no such version of it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdTemplatesByUidPreview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `uid` of the template.
                 * @example opening-hours
                 */
                uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": {
                 *         "Title": "Closed on Monday"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PreviewRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": 2,
                     *       "content": {
                     *         "ver": 1,
                     *         "frame": {
                     *           "type": "alert",
                     *           "nodes": [
                     *             {
                     *               "type": "heading",
                     *               "text": "Closed on Monday"
                     *             },
                     *             {
                     *               "type": "button",
                     *               "text": "OK",
                     *               "actions": [
                     *                 {
                     *                   "type": "closeMessage"
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RenderedTemplate"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such template */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdTemplateStarters: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "starters": [
                     *         {
                     *           "starter": "rating",
                     *           "name": "Opening hours",
                     *           "summary": "Asks for a rating in the app store",
                     *           "tags": [
                     *             {
                     *               "title": "Title",
                     *               "type": "text",
                     *               "required": true
                     *             }
                     *           ],
                     *           "sample": {
                     *             "Title": "Closed on Monday"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TemplateStarters"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdGeofences: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "geofences": [
                     *         {
                     *           "id": 7,
                     *           "name": "Office",
                     *           "isEnabled": true,
                     *           "boundsGeoJson": {
                     *             "type": "Feature",
                     *             "geometry": {
                     *               "type": "Point",
                     *               "coordinates": [
                     *                 13.4,
                     *                 52.5
                     *               ]
                     *             },
                     *             "properties": {
                     *               "radius": 250
                     *             }
                     *           },
                     *           "tags": [
                     *             "work"
                     *           ],
                     *           "activationCount": 12,
                     *           "activeUsers": 3,
                     *           "appId": 1,
                     *           "createdAt": "2026-03-01T12:00:00+0000",
                     *           "updatedAt": "2026-03-01T12:30:00+0000"
                     *         }
                     *       ],
                     *       "next": 51
                     *     }
                     */
                    "application/json": components["schemas"]["GeofencePage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdGeofences: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Office",
                 *       "boundsGeoJson": {
                 *         "type": "Feature",
                 *         "geometry": {
                 *           "type": "Point",
                 *           "coordinates": [
                 *             13.4,
                 *             52.5
                 *           ]
                 *         },
                 *         "properties": {
                 *           "radius": 250
                 *         }
                 *       },
                 *       "isEnabled": true,
                 *       "tags": [
                 *         "work"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewGeofence"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Office",
                     *       "isEnabled": true,
                     *       "boundsGeoJson": {
                     *         "type": "Feature",
                     *         "geometry": {
                     *           "type": "Point",
                     *           "coordinates": [
                     *             13.4,
                     *             52.5
                     *           ]
                     *         },
                     *         "properties": {
                     *           "radius": 250
                     *         }
                     *       },
                     *       "tags": [
                     *         "work"
                     *       ],
                     *       "activationCount": 12,
                     *       "activeUsers": 3,
                     *       "appId": 1,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Geofence"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdGeofencesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Office",
                     *       "isEnabled": true,
                     *       "boundsGeoJson": {
                     *         "type": "Feature",
                     *         "geometry": {
                     *           "type": "Point",
                     *           "coordinates": [
                     *             13.4,
                     *             52.5
                     *           ]
                     *         },
                     *         "properties": {
                     *           "radius": 250
                     *         }
                     *       },
                     *       "tags": [
                     *         "work"
                     *       ],
                     *       "activationCount": 12,
                     *       "activeUsers": 3,
                     *       "appId": 1,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Geofence"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such geofence */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdGeofencesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "isEnabled": false
                 *     }
                 */
                "application/json": components["schemas"]["GeofenceChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "Office",
                     *       "isEnabled": true,
                     *       "boundsGeoJson": {
                     *         "type": "Feature",
                     *         "geometry": {
                     *           "type": "Point",
                     *           "coordinates": [
                     *             13.4,
                     *             52.5
                     *           ]
                     *         },
                     *         "properties": {
                     *           "radius": 250
                     *         }
                     *       },
                     *       "tags": [
                     *         "work"
                     *       ],
                     *       "activationCount": 12,
                     *       "activeUsers": 3,
                     *       "appId": 1,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Geofence"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such geofence */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdGeofencesById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such geofence */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdDeepLinks: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deepLinks": [
                     *         {
                     *           "id": 7,
                     *           "url": "https://go.example.com/spring-sale",
                     *           "slug": "spring-sale",
                     *           "state": "active",
                     *           "linkData": {
                     *             "screen": "offer",
                     *             "id": 7
                     *           },
                     *           "content": {
                     *             "title": "Spring sale"
                     *           },
                     *           "desktopWebFallbackUrl": "https://example.com/offers/7",
                     *           "mobileWebFallbackUrl": "https://m.example.com/offers/7",
                     *           "reportingMeta": {
                     *             "campaign": "spring"
                     *           },
                     *           "expiresAt": null,
                     *           "lookupLimit": 100,
                     *           "lookups": 12,
                     *           "clicks": 40,
                     *           "createdAt": "2026-03-01T12:00:00+0000",
                     *           "updatedAt": "2026-03-01T12:30:00+0000"
                     *         }
                     *       ],
                     *       "next": 51
                     *     }
                     */
                    "application/json": components["schemas"]["DeepLinkPage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdDeepLinks: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "linkData": {
                 *           "screen": "offer",
                 *           "id": 7
                 *         },
                 *         "desktopWebFallbackUrl": "https://example.com/offers/7",
                 *         "mobileWebFallbackUrl": "https://m.example.com/offers/7",
                 *         "slug": "spring-sale",
                 *         "content": {
                 *           "title": "Spring sale"
                 *         },
                 *         "lookupLimit": 100
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["NewDeepLinks"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": 7,
                     *         "url": "https://go.example.com/spring-sale"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["CreatedDeepLink"][];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdDeepLinksById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "url": "https://go.example.com/spring-sale",
                     *       "slug": "spring-sale",
                     *       "state": "active",
                     *       "linkData": {
                     *         "screen": "offer",
                     *         "id": 7
                     *       },
                     *       "content": {
                     *         "title": "Spring sale"
                     *       },
                     *       "desktopWebFallbackUrl": "https://example.com/offers/7",
                     *       "mobileWebFallbackUrl": "https://m.example.com/offers/7",
                     *       "reportingMeta": {
                     *         "campaign": "spring"
                     *       },
                     *       "expiresAt": null,
                     *       "lookupLimit": 100,
                     *       "lookups": 12,
                     *       "clicks": 40,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["DeepLink"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such deep link */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdDeepLinksById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such deep link */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A banner leads to it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    patchAdminV1AppsByAppIdDeepLinksById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expiresAt": null,
                 *       "lookupLimit": 500
                 *     }
                 */
                "application/json": components["schemas"]["DeepLinkChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "url": "https://go.example.com/spring-sale",
                     *       "slug": "spring-sale",
                     *       "state": "active",
                     *       "linkData": {
                     *         "screen": "offer",
                     *         "id": 7
                     *       },
                     *       "content": {
                     *         "title": "Spring sale"
                     *       },
                     *       "desktopWebFallbackUrl": "https://example.com/offers/7",
                     *       "mobileWebFallbackUrl": "https://m.example.com/offers/7",
                     *       "reportingMeta": {
                     *         "campaign": "spring"
                     *       },
                     *       "expiresAt": null,
                     *       "lookupLimit": 100,
                     *       "lookups": 12,
                     *       "clicks": 40,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["DeepLink"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such deep link */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdLinkSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": 1,
                     *       "links": "https://go.example.com",
                     *       "subdomain": "a1b2c3",
                     *       "domain": "go.example.com",
                     *       "iosTeamId": "A1B2C3D4E5",
                     *       "iosBundleIds": [
                     *         "com.example.app"
                     *       ],
                     *       "androidPackage": "com.example.app",
                     *       "androidSha256": [
                     *         "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"
                     *       ],
                     *       "appStoreUrl": "https://apps.apple.com/app/id1234567890",
                     *       "playStoreUrl": "https://play.google.com/store/apps/details?id=com.example.app",
                     *       "fingerprintWindow": 3600,
                     *       "offersClipboard": false,
                     *       "icon": "data:image/png;base64,iVBORw0KGgo="
                     *     }
                     */
                    "application/json": components["schemas"]["LinkSettings"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdLinkSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "domain": "go.example.com",
                 *       "iosTeamId": "A1B2C3D4E5",
                 *       "iosBundleIds": [
                 *         "com.example.app"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LinkSettingsChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "appId": 1,
                     *       "links": "https://go.example.com",
                     *       "subdomain": "a1b2c3",
                     *       "domain": "go.example.com",
                     *       "iosTeamId": "A1B2C3D4E5",
                     *       "iosBundleIds": [
                     *         "com.example.app"
                     *       ],
                     *       "androidPackage": "com.example.app",
                     *       "androidSha256": [
                     *         "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"
                     *       ],
                     *       "appStoreUrl": "https://apps.apple.com/app/id1234567890",
                     *       "playStoreUrl": "https://play.google.com/store/apps/details?id=com.example.app",
                     *       "fingerprintWindow": 3600,
                     *       "offersClipboard": false,
                     *       "icon": "data:image/png;base64,iVBORw0KGgo="
                     *     }
                     */
                    "application/json": components["schemas"]["LinkSettings"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdRestraint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "quietHours": {
                     *         "from": "22:00",
                     *         "to": "07:00"
                     *       },
                     *       "frequencyCap": {
                     *         "count": 5,
                     *         "hours": 24
                     *       },
                     *       "confirmAbove": 10000,
                     *       "deviceChannels": "private"
                     *     }
                     */
                    "application/json": components["schemas"]["Restraint"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdRestraint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "quietHours": {
                 *         "from": "22:00",
                 *         "to": "07:00"
                 *       },
                 *       "frequencyCap": {
                 *         "count": 5,
                 *         "hours": 24
                 *       },
                 *       "confirmAbove": null
                 *     }
                 */
                "application/json": components["schemas"]["RestraintChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "quietHours": {
                     *         "from": "22:00",
                     *         "to": "07:00"
                     *       },
                     *       "frequencyCap": {
                     *         "count": 5,
                     *         "hours": 24
                     *       },
                     *       "confirmAbove": 10000,
                     *       "deviceChannels": "private"
                     *     }
                     */
                    "application/json": components["schemas"]["Restraint"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhooks": [
                     *         {
                     *           "id": 7,
                     *           "appId": 1,
                     *           "url": "https://example.com/hooks",
                     *           "types": [
                     *             "k.message.opened"
                     *           ],
                     *           "batch": {
                     *             "max": 100,
                     *             "waitMs": 2000
                     *           },
                     *           "enabled": true,
                     *           "state": "on",
                     *           "offReason": null,
                     *           "failingSince": null,
                     *           "waitingSince": null,
                     *           "secretHint": "…jlA=",
                     *           "formerSecretUntil": null,
                     *           "replay": null,
                     *           "createdAt": "2026-03-01T12:00:00+0000",
                     *           "updatedAt": "2026-03-01T12:30:00+0000"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Webhooks"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hooks",
                 *       "types": [
                 *         "k.message.opened"
                 *       ],
                 *       "batch": {
                 *         "max": 100,
                 *         "waitMs": 2000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "appId": 1,
                     *       "url": "https://example.com/hooks",
                     *       "types": [
                     *         "k.message.opened"
                     *       ],
                     *       "batch": {
                     *         "max": 100,
                     *         "waitMs": 2000
                     *       },
                     *       "enabled": true,
                     *       "state": "on",
                     *       "offReason": null,
                     *       "failingSince": null,
                     *       "waitingSince": null,
                     *       "secretHint": "…jlA=",
                     *       "formerSecretUntil": null,
                     *       "replay": null,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000",
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDMfrKTzpNjlA="
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The app has the maximum number of webhooks */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdWebhooksById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "appId": 1,
                     *       "url": "https://example.com/hooks",
                     *       "types": [
                     *         "k.message.opened"
                     *       ],
                     *       "batch": {
                     *         "max": 100,
                     *         "waitMs": 2000
                     *       },
                     *       "enabled": true,
                     *       "state": "on",
                     *       "offReason": null,
                     *       "failingSince": null,
                     *       "waitingSince": null,
                     *       "secretHint": "…jlA=",
                     *       "formerSecretUntil": null,
                     *       "replay": null,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such webhook */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdWebhooksById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such webhook */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    patchAdminV1AppsByAppIdWebhooksById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["WebhookChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "appId": 1,
                     *       "url": "https://example.com/hooks",
                     *       "types": [
                     *         "k.message.opened"
                     *       ],
                     *       "batch": {
                     *         "max": 100,
                     *         "waitMs": 2000
                     *       },
                     *       "enabled": true,
                     *       "state": "on",
                     *       "offReason": null,
                     *       "failingSince": null,
                     *       "waitingSince": null,
                     *       "secretHint": "…jlA=",
                     *       "formerSecretUntil": null,
                     *       "replay": null,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such webhook */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdWebhooksByIdRotate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlapSeconds": 86400
                 *     }
                 */
                "application/json": components["schemas"]["SecretRotation"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "appId": 1,
                     *       "url": "https://example.com/hooks",
                     *       "types": [
                     *         "k.message.opened"
                     *       ],
                     *       "batch": {
                     *         "max": 100,
                     *         "waitMs": 2000
                     *       },
                     *       "enabled": true,
                     *       "state": "on",
                     *       "offReason": null,
                     *       "failingSince": null,
                     *       "waitingSince": null,
                     *       "secretHint": "…jlA=",
                     *       "formerSecretUntil": null,
                     *       "replay": null,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000",
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDMfrKTzpNjlA="
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such webhook */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    postAdminV1AppsByAppIdWebhooksByIdReplay: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer again. Servers, REST keys and devices each have their own keys.
                 * @example c1f4d5e2-order-1007
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-11-20T00:00:00Z",
                 *       "to": "2026-11-21T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["EventReplay"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    "Idempotency-Replayed": components["headers"]["IdempotencyReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "appId": 1,
                     *       "url": "https://example.com/hooks",
                     *       "types": [
                     *         "k.message.opened"
                     *       ],
                     *       "batch": {
                     *         "max": 100,
                     *         "waitMs": 2000
                     *       },
                     *       "enabled": true,
                     *       "state": "on",
                     *       "offReason": null,
                     *       "failingSince": null,
                     *       "waitingSince": null,
                     *       "secretHint": "…jlA=",
                     *       "formerSecretUntil": null,
                     *       "replay": null,
                     *       "createdAt": "2026-03-01T12:00:00+0000",
                     *       "updatedAt": "2026-03-01T12:30:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such webhook */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdWebhooksByIdReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such webhook, or it is not being replayed */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdWebhooksByIdAttempts: {
        parameters: {
            query?: {
                /**
                 * @description Continues after a page: the `next` of its answer.
                 * @example 51
                 */
                after?: number;
                /**
                 * @description Maximum number of items on a page.
                 * @example 50
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description The `id` of the resource.
                 * @example 7
                 */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "attempts": [
                     *         {
                     *           "id": 7,
                     *           "at": "2026-11-21T09:30:00+0000",
                     *           "webhookId": "evt_7_2n-2r",
                     *           "attempt": 1,
                     *           "events": 12,
                     *           "replay": false,
                     *           "status": 200,
                     *           "reason": null,
                     *           "tookMs": 81
                     *         }
                     *       ],
                     *       "next": 51
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookAttemptPage"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such webhook */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdEvents: {
        parameters: {
            query?: {
                /**
                 * @description Begin behind this: a `next`, or the `id` of an event.
                 * @example 00000000000000000000q8
                 */
                after?: string;
                /**
                 * @description Types of events, separated by commas. Without it, all.
                 * @example order.paid,k.message.opened
                 */
                types?: string;
                /**
                 * @description Maximum number of events; default 100. Large ones make a page shorter.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description Seconds to wait for an event when there is none.
                 * @example 20
                 */
                wait?: number;
                /**
                 * @description Adds `notification.page`, whatever `types` says: what became of the recipients of a page of a notification.
                 * @example deliveries
                 */
                include?: "deliveries";
            };
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    /**
                     * @description The `after` of the next call.
                     * @example 000000000000000000000cz
                     */
                    "Next-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "id": "00000000000000000000q8",
                     *           "type": "order.paid",
                     *           "timestamp": "2026-03-01T12:00:00.000Z",
                     *           "receivedAt": "2026-03-01T12:00:01.250Z",
                     *           "userId": "user-17",
                     *           "installId": "7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10",
                     *           "uuid": "8f14e45f-ceea-4a7e-9d5b-2f1b3c4d5e6f",
                     *           "data": {
                     *             "amount": 49.9,
                     *             "currency": "EUR"
                     *           }
                     *         }
                     *       ],
                     *       "next": "00000000000000000000q8"
                     *     }
                     */
                    "application/json": components["schemas"]["EventPage"];
                    "application/x-ndjson": string;
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The app does not keep `deliveries` in its log */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Events behind `after` were forgotten (`events.retentionDays`) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            422: components["responses"]["Invalid"];
            /** @description Too many readers wait for events already */
            429: {
                headers: {
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdEventsSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveries": true
                     *     }
                     */
                    "application/json": components["schemas"]["LogSettings"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdEventsSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "deliveries": true
                 *     }
                 */
                "application/json": components["schemas"]["LogSettingsChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deliveries": true
                     *     }
                     */
                    "application/json": components["schemas"]["LogSettings"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "metrics": [
                     *         {
                     *           "id": 7,
                     *           "name": "purchase",
                     *           "event": "order.paid",
                     *           "where": {
                     *             "field": "data.currency",
                     *             "op": "equals",
                     *             "value": "EUR"
                     *           },
                     *           "value": "data.amount",
                     *           "since": "2026-03-01T12:00:00+0000"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Metrics"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    getAdminV1AppsByAppIdMetricsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description Name of the metric.
                 * @example purchase
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "purchase",
                     *       "event": "order.paid",
                     *       "where": {
                     *         "field": "data.currency",
                     *         "op": "equals",
                     *         "value": "EUR"
                     *       },
                     *       "value": "data.amount",
                     *       "since": "2026-03-01T12:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Metric"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such metric */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    putAdminV1AppsByAppIdMetricsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description Name of the metric.
                 * @example purchase
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "order.paid",
                 *       "where": {
                 *         "field": "data.currency",
                 *         "op": "equals",
                 *         "value": "EUR"
                 *       },
                 *       "value": "data.amount"
                 *     }
                 */
                "application/json": components["schemas"]["MetricRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "purchase",
                     *       "event": "order.paid",
                     *       "where": {
                     *         "field": "data.currency",
                     *         "op": "equals",
                     *         "value": "EUR"
                     *       },
                     *       "value": "data.amount",
                     *       "since": "2026-03-01T12:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Metric"];
                };
            };
            /** @description The metric was created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": 7,
                     *       "name": "purchase",
                     *       "event": "order.paid",
                     *       "where": {
                     *         "field": "data.currency",
                     *         "op": "equals",
                     *         "value": "EUR"
                     *       },
                     *       "value": "data.amount",
                     *       "since": "2026-03-01T12:00:00+0000"
                     *     }
                     */
                    "application/json": components["schemas"]["Metric"];
                };
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such app, or the person has no role in it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The app has as many metrics as it may have */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMedia"];
            422: components["responses"]["Invalid"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    deleteAdminV1AppsByAppIdMetricsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `id` of the app whose keys the request carries.
                 * @example 1
                 */
                appId: number;
                /**
                 * @description Name of the metric.
                 * @example purchase
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["SignInFirst"];
            403: components["responses"]["NotAllowed"];
            /** @description There is no such metric */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A segment names it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
}
