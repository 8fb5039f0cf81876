# install_help(TARGET): a program's manual pages and its completion for bash and zsh, which it prints
# itself. Debian's zsh looks elsewhere for what a package brings than where zsh wants it by itself.
function(install_help target)
    set(help ${CMAKE_CURRENT_BINARY_DIR}/help)
    add_custom_command(
        OUTPUT ${help}/bash/${target}
        COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/make_help.sh $<TARGET_FILE:${target}> ${help}
        DEPENDS ${target} ${PROJECT_SOURCE_DIR}/cmake/make_help.sh
        VERBATIM)
    add_custom_target(${target}_help ALL DEPENDS ${help}/bash/${target})
    install(DIRECTORY ${help}/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(DIRECTORY ${help}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(DIRECTORY ${help}/zsh/ DESTINATION share/zsh/site-functions COMPONENT other_systems)
    install(DIRECTORY ${help}/zsh/ DESTINATION share/zsh/vendor-completions COMPONENT debian EXCLUDE_FROM_ALL)
endfunction()
